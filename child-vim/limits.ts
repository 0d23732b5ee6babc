/** Bytes of text in one answer of read-lines. */
export const READ_BYTES = 128 * 1024;

/** Operations of one edit. */
export const EDIT_OPERATIONS = 100;
