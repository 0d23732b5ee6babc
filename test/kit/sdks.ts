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
  /** In the era before 2026-07-28, as it is where nothing else is said. */
  'SDK 2': '@modelcontextprotocol/client',
  /** In the era that the other side speaks. */
  'SDK 2 auto': '@modelcontextprotocol/client',
  'SDK 2 of 2026-07-28': '@modelcontextprotocol/client',
} as const;

export type Sdk = keyof typeof SDKS;

export const ALL = Object.keys(SDKS) as Sdk[];

/** Those of SDK 2, by the era that they speak. */
export const ERAS: ReadonlyMap<Sdk, 'legacy' | 'auto' | 'modern'> = new Map<Sdk, 'legacy' | 'auto' | 'modern'>([
  ['SDK 2', 'legacy'],
  ['SDK 2 auto', 'auto'],
  ['SDK 2 of 2026-07-28', 'modern'],
]);

/** Those whose servers can ask, and whose clients can answer. */
export const ASKING: ReadonlySet<Sdk> = new Set<Sdk>(['SDK 1.22', 'SDK 1.32', ...ERAS.keys()]);
/** The one of before Streamable HTTP; its clients go to the address for streams of events. */
export const BEFORE_HTTP: Sdk = 'SDK 1.9';
