/** The SDKs that clients and children in the field are built on, by the package that has them. */
export const SDKS = {
  /** 2024-11-05 */
  'SDK 1.9': 'sdk-1.9',
  /** 2025-03-26 */
  'SDK 1.12': 'sdk-1.12',
  /** 2025-06-18 */
  'SDK 1.22': 'sdk-1.22',
  /** 2025-11-25 */
  'SDK 1.32': '@modelcontextprotocol/sdk',
  'SDK 2': '@modelcontextprotocol/client',
} as const;

export type Sdk = keyof typeof SDKS;

/** Those whose servers can ask, and whose clients can answer. */
export const ASKING: ReadonlySet<Sdk> = new Set<Sdk>(['SDK 1.22', 'SDK 1.32', 'SDK 2']);
/** The one of before Streamable HTTP. */
export const BEFORE_HTTP: Sdk = 'SDK 1.9';
