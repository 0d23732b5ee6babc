import assert from 'node:assert/strict';
import type { SdkClient } from './sdk-client.js';
import { eventually } from './until.js';

/**
 * Has a client do all there is with a child under an alias: list, call, progress, cancel, be asked, hear of a change.
 * `name` keeps it apart from others that do the same; `asks` says whether the child can ask.
 */
export async function uses(client: SdkClient, name: string, alias: string, asks = true): Promise<void> {
  const named = (tool: string): string => `${alias}.${tool}`;
  assert.ok((await client.tools()).includes(named('echo')));
  assert.equal(await client.call(named('echo'), 'h\u00e9llo'), 'h\u00e9llo');
  await hearsProgress(client, named, name);
  await cancels(client, named, name);
  if (asks) await answers(client, named, name, alias);
  await hearsChange(client, named, name);
}

type Named = (tool: string) => string;

async function hearsProgress(client: SdkClient, named: Named, name: string): Promise<void> {
  const steps: number[] = [];
  const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
  const done = client.call(named('steps'), name, { onprogress });
  await eventually('all steps are heard', () => steps.length === 3);
  assert.deepEqual(steps, [1, 2, 3]);
  assert.equal(await client.call(named('release'), name), 'true');
  assert.equal(await done, 'done');
}

async function cancels(client: SdkClient, named: Named, name: string): Promise<void> {
  const state = async (): Promise<string> => await client.call(named('state'), name);
  const stop = new AbortController();
  const stopped = assert.rejects(client.call(named('slow'), name, { signal: stop.signal }));
  await eventually('it has begun', async () => (await state()).includes('"begun":true'));
  stop.abort();
  await stopped;
  await eventually('the child knows', async () => (await state()).includes('"cancelled":true'));
}

async function answers(client: SdkClient, named: Named, name: string, alias: string): Promise<void> {
  const question = `${name}?`;
  const before = client.questions.length;
  const text = await client.call(named('ask'), question).catch(String);
  if (client.canBeAsked) {
    assert.equal(text, 'accept');
    assert.deepEqual(client.questions.slice(before), [`${alias}: ${question}`]);
  } else assert.notEqual(text, 'accept');
}

async function hearsChange(client: SdkClient, named: Named, name: string): Promise<void> {
  const before = client.changes();
  const fresh = `of-${name.toLowerCase().replace(/\W/g, '-')}`;
  assert.equal(await client.call(named('grow'), fresh), 'told');
  await eventually('it hears that the tools have changed', () => client.changes() > before);
  await eventually('it is listed', async () => (await client.tools()).includes(named(fresh)));
}
