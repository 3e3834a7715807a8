// The place for a prompt under the live terminal of an agent.
import * as api from "./api";
import { h, toast } from "./dom";

/** PromptBox sends prompts through the server, which makes sure that the agent takes them. It is hidden while no agent runs. */
export class PromptBox {
  readonly el: HTMLFormElement;
  private field = h("textarea", { rows: 1, placeholder: "Prompt for the agent", "aria-label": "Prompt for the agent", maxLength: 65536, onkeydown: (e: KeyboardEvent) => this.key(e) });
  private button = h("button", { type: "submit", class: "button strong" }, "Send");

  constructor(private session: string) {
    this.el = h("form", { class: "ask", hidden: true, onsubmit: (e: Event) => { e.preventDefault(); void this.send(); } }, this.field, this.button) as HTMLFormElement;
  }

  /** state takes what the agent does. */
  state(s: api.State): void {
    this.el.hidden = !s.agent;
  }

  private key(e: KeyboardEvent): void {
    if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
    e.preventDefault();
    void this.send();
  }

  // send keeps the text if the agent does not take it.
  private async send(): Promise<void> {
    const text = this.field.value;
    if (text.trim() === "" || this.button.disabled) return;
    this.button.disabled = true;
    try {
      await api.prompt(this.session, text);
      if (this.field.value === text) this.field.value = "";
    } catch (e) {
      toast((e as Error).message, true);
    }
    this.button.disabled = false;
  }
}
