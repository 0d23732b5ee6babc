import type { Policy } from '../shared/verdict.js';
import { verdict } from '../shared/verdict.js';
import type { Editors } from './editors.js';
import { editorQuestion, fileOfBuffer } from './question.js';
import { resourceAt } from './resources.js';

/** Resources of one request that are looked at. */
const MOST = 32;

/**
 * Sees what clients send: the SDK by itself answers `subscriptions/listen` (2026-07-28, basic/patterns/subscriptions), so
 * this has the buffers followed that it names, as far as they may be read without a question.
 */
export function listened(editors: Editors, policy: Policy): (message: unknown) => void {
  const follow = async (uri: string): Promise<void> => {
    const { editor, buffer } = resourceAt(uri, editors) ?? {};
    if (editor === undefined || buffer === undefined) return;
    const files = fileOfBuffer(editor, buffer, new AbortController().signal);
    const { decision } = await verdict(policy, editorQuestion('read', editor, '', { buffer }, undefined, files));
    if (decision === 'allow') editor.feed.use(buffer);
  };
  return (message) => {
    // An editor that does not answer is not followed.
    for (const uri of urisOf(message).slice(0, MOST)) void follow(uri).catch(() => undefined);
  };
}

/** The resources that a client begins to listen to. */
function urisOf(message: unknown): string[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions: uris } = (params?.notifications ?? {}) as { resourceSubscriptions?: unknown };
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
