// A real terminal for an agent to run in: a PTY plus xterm.js, which answers the agent's
// queries; everything the agent writes is recorded with its time.
import pty from "node-pty";
import xterm from "@xterm/headless";
import unicode11 from "@xterm/addon-unicode11";

const sleep = ms => new Promise(r => setTimeout(r, ms));
export class Term {
  constructor({ cols, rows, cmd, args, env, cwd }) {
    this.events = [];
    this.t0 = Date.now();
    this.lastOut = Date.now();
    this.exited = null;
    this.cols = cols;
    this.rows = rows;
    this.xt = new xterm.Terminal({ cols, rows, scrollback: 20000, allowProposedApi: true });
    this.xt.loadAddon(new unicode11.Unicode11Addon());
    this.xt.unicode.activeVersion = "11";
    this.p = pty.spawn(cmd, args, { cols, rows, cwd, env, name: env.TERM, encoding: null });
    this.dec = new TextDecoder("utf-8", { ignoreBOM: true });
    this.xt.onData(d => {
      if (!this.exited) this.p.write(d);
    });
    this.p.onData(d => {
      const buf = Buffer.isBuffer(d) ? d : Buffer.from(d);
      this.lastOut = Date.now();
      const s = this.dec.decode(buf, { stream: true });
      if (s) this.events.push([(Date.now() - this.t0) / 1000, "o", s]);
      this.xt.write(buf);
    });
    this.done = new Promise(r =>
      this.p.onExit(e => {
        this.exited = e;
        r(e);
      }),
    );
  }
  input(s) {
    this.events.push([(Date.now() - this.t0) / 1000, "i", s]);
    this.p.write(s);
  }
  resize(cols, rows) {
    this.events.push([(Date.now() - this.t0) / 1000, "r", `${cols}x${rows}`]);
    this.xt.resize(cols, rows);
    this.p.resize(cols, rows);
    this.cols = cols;
    this.rows = rows;
  }
  async type(s, perKey = 25) {
    for (const c of s) {
      this.input(c);
      await sleep(perKey);
    }
  }
  async idle(ms = 800, max = 60000) {
    const end = Date.now() + max;
    while (Date.now() < end && !this.exited) {
      if (Date.now() - this.lastOut >= ms) return true;
      await sleep(30);
    }
    return false;
  }
  screen() {
    const b = this.xt.buffer.active;
    const out = [];
    for (let y = 0; y < this.xt.rows; y++) out.push(b.getLine(b.baseY + y)?.translateToString(true) ?? "");
    return out;
  }
  all() {
    const b = this.xt.buffer.active;
    const out = [];
    for (let y = 0; y < b.length; y++) out.push(b.getLine(y)?.translateToString(true) ?? "");
    return out;
  }
  async waitFor(re, max = 60000) {
    const end = Date.now() + max;
    while (Date.now() < end && !this.exited) {
      if (this.screen().some(l => re.test(l)) || re.test(this.screen().join("\n"))) return true;
      await sleep(50);
    }
    return false;
  }
  async waitGone(re, max = 60000) {
    const end = Date.now() + max;
    while (Date.now() < end && !this.exited) {
      if (!re.test(this.screen().join("\n"))) return true;
      await sleep(50);
    }
    return false;
  }
}
