// A machine that logs in: whoever is signed in compares its code and admits it.
import * as api from "./api";
import { announce } from "./badge";
import { fill, h } from "./dom";
import { bind } from "./keys";
import type { Page } from "./main";

/** MachinePage asks whether a machine may act as the user. It shows the code that the machine shows. */
export class MachinePage implements Page {
  readonly el = h("main", { class: "card" });

  constructor(private code: string) {}

  async open(): Promise<void> {
    announce("Log in a machine");
    bind([]);
    const [info, login] = await Promise.all([api.info(), api.login(this.code)]);
    const answer = (does: (code: string) => Promise<void>, title: string, said: string) => async (): Promise<void> => {
      try {
        await does(this.code);
        this.say(title, said);
      } catch (e) {
        this.say("That did not work", (e as Error).message);
      }
    };
    const yes = h("button", { type: "button", class: "button strong", onclick: answer(api.admit, "Confirmed", `${login.name} is logged in as ${info.user}. You may close this page.`) }, "It shows this code: confirm");
    const no = h("button", { type: "button", class: "button", onclick: answer(api.reject, "Refused", `${login.name} was not logged in.`) }, "Refuse");
    fill(this.el, h("h1", {}, "Log in a machine?"), h("p", {}, "Your terminal must show this code:"), h("p", { class: "code" }, login.code),
      h("p", {}, `It says that it is ${login.name || "a machine"}, and asked from ${login.address}. It will read and send sessions as you, ${info.user}.`),
      h("p", {}, "Refuse if you have not just typed ", h("code", {}, "ptyrec login"), " there: somebody else would act as you."), h("div", { class: "line" }, no, h("span", { class: "gap" }), yes));
  }

  close(): void {}

  private say(title: string, text: string): void {
    fill(this.el, h("h1", {}, title), h("p", { role: "status" }, text), h("a", { href: "/", "data-own": true, class: "button" }, "All sessions"));
  }
}
