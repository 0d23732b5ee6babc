/** The release, as `--version` and the handshake tell it; the same as in package.json, which a test checks. */
export const VERSION = '0.1.0';
