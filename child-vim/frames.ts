import { MAX_FRAME } from './protocol.js';

/** Characters of a piece: each takes at most three bytes in a frame, escapes included. */
const PIECE = Math.floor((MAX_FRAME - 256) / 3);

/** Whether parameters fit into one frame. */
export function fits(json: string): boolean {
  return json.length < PIECE || Buffer.byteLength(json) < MAX_FRAME - 256;
}

/** Cuts a JSON text into pieces that each fit into a frame as a string; no character is cut in two. */
export function pieces(json: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < json.length; ) {
    let end = Math.min(start + PIECE, json.length);
    if (isHighSurrogate(json.charCodeAt(end - 1))) end -= 1;
    found.push(json.slice(start, end));
    start = end;
  }
  return found;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
