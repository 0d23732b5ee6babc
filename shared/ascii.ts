/** Bytes by name, for what reads JSON and lines without decoding them. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const DOT = 0x2e;
export const LOW_LINE = 0x5f;
export const SPACE = 0x20;
