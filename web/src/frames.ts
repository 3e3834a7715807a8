// The frames of docs/protocol.md: a type (1 byte), a length (4), the payload; one in each WebSocket message.
import { allPrintable } from "./hidden";

export type Frame = { type: string; payload: Uint8Array };

const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder() };

/** read takes a message apart; undefined where it is no frame. */
export function read(message: ArrayBuffer): Frame | undefined {
  if (message.byteLength < 5) return undefined;
  const view = new DataView(message);
  if (view.getUint32(1) !== message.byteLength - 5) return undefined;
  return { type: String.fromCharCode(view.getUint8(0)), payload: new Uint8Array(message, 5) };
}

/** json returns the struct that a frame holds. */
export const json = <T>(f: Frame): T => allPrintable(JSON.parse(utf8.decoder.decode(f.payload)) as T);

/** seq returns the number before the data of an output (8 bytes) or a snapshot. */
export function seq(f: Frame): number {
  const view = new DataView(f.payload.buffer, f.payload.byteOffset);
  return view.getUint32(0) * 2 ** 32 + view.getUint32(4);
}

export const output = (f: Frame): { seq: number; data: Uint8Array } => ({ seq: seq(f), data: f.payload.subarray(8) });

export function snapshot(f: Frame): { seq: number; cols: number; rows: number; data: Uint8Array } {
  const view = new DataView(f.payload.buffer, f.payload.byteOffset);
  return { seq: seq(f), cols: view.getUint16(8), rows: view.getUint16(10), data: f.payload.subarray(12) };
}

/** frame makes a message of a payload. */
export function frame(type: string, payload: Uint8Array): ArrayBuffer {
  const message = new ArrayBuffer(5 + payload.length);
  const view = new DataView(message);
  view.setUint8(0, type.charCodeAt(0));
  view.setUint32(1, payload.length);
  new Uint8Array(message, 5).set(payload);
  return message;
}

export const struct = (type: string, value: unknown): ArrayBuffer => frame(type, utf8.encoder.encode(JSON.stringify(value)));

export function input(id: number, keys: Uint8Array): ArrayBuffer {
  const payload = new Uint8Array(4 + keys.length);
  new DataView(payload.buffer).setUint32(0, id);
  payload.set(keys, 4);
  return frame("i", payload);
}
