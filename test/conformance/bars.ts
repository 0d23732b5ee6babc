/** Checks that pass: of scenarios that the revision requires, and of others. */
export type Bar = readonly [required: number, besides: number];

/**
 * What has to pass, by revision and way. A row without a bar is open: it is shown, and no error. Through the hub one check
 * less applies: whether a server ends a stream in the middle of a call, which the hub does not do when its child does.
 */
export const SERVER: Readonly<Record<string, Bar>> = {
  '2025-11-25 direct': [70, 14],
  '2025-11-25 spawned child': [70, 13],
  '2025-11-25 HTTP child': [70, 13],
  '2025-11-25 dial-in child of a second hub': [70, 13],
  '2026-07-28 direct': [120, 32],
  '2026-07-28 spawned child': [120, 32],
  '2026-07-28 HTTP child': [120, 32],
  '2026-07-28 dial-in child of a second hub': [120, 32],
};

/** Signing in has a few checks more or fewer, as often as a server is asked meanwhile; these are those of SDK 2 by itself. */
export const CLIENT: Readonly<Record<string, Bar>> = {
  '2025-11-25 direct': [11, 0],
  '2025-11-25 hub': [11, 0],
  '2025-11-25 hub signing in': [239, 0],
  '2026-07-28 direct': [55, 0],
  '2026-07-28 hub': [55, 0],
  '2026-07-28 hub signing in': [345, 0],
};
