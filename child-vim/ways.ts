/** How the person can be asked. */
export const WAYS = ['auto', 'mcp', 'helper', 'tty', 'dialog', 'yad'] as const;
export type Way = (typeof WAYS)[number];

/** How the person is asked by this broker. */
export interface Asking {
  readonly way: Way;
  /** A program in place of ours. */
  readonly helper: string | undefined;
  /** The name of the broker. */
  readonly name: string;
}
