/** Clients and children on the SDKs of all protocol revisions, each with each, over standard streams and HTTP. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, hubUrl, PROGRAM } from '../kit/hub.js';
import { connectSdk, type Front, type SdkClient } from '../kit/sdk-client.js';
import { uses } from '../kit/sdk-use.js';
import { ALL, ASKING, ERAS, SDKS, type Sdk } from '../kit/sdks.js';

/** `sdk-1-9`, and so on. */
function aliasOf(sdk: Sdk): string {
  return sdk.toLowerCase().replace(/\W/g, '-');
}

/** A child on each SDK. */
const CHILDREN = ALL.flatMap((sdk) => {
  const era = ERAS.get(sdk);
  return [
    ...(era === undefined ? child(aliasOf(sdk), 'sdk1', SDKS[sdk]) : child(aliasOf(sdk), 'sdk2', era)),
    '--eager',
  ];
});

async function connect(t: TestContext, sdk: Sdk, front: Front): Promise<SdkClient> {
  const client = await connectSdk(sdk, front);
  cleanup(t, () => client.close());
  return client;
}

describe('over standard streams', { concurrency: 2 }, () => {
  for (const sdk of ALL) {
    it(`a client on ${sdk} uses all children`, async (t) => {
      const client = await connect(t, sdk, { args: [PROGRAM, '--stdio', ...CHILDREN], env: await freshHome(t) });
      for (const behind of ALL)
        await t.test(`on ${behind}`, () => uses(client, sdk, aliasOf(behind), ASKING.has(behind)));
    });
  }
});

interface Connected {
  readonly sdk: Sdk;
  readonly client: SdkClient;
}

it('clients on all SDKs over HTTP use all children, each another one at one time', { concurrency: true }, async (t) => {
  const url = await hubUrl(t, CHILDREN);
  const connected = ALL.map(async (sdk) => ({ sdk, client: await connect(t, sdk, { url }) }));
  const clients = await Promise.all(connected);
  // Of two that call a child of sessions at one time, it is not known whom its question is for.
  const use = async ({ sdk, client }: Connected, behind: Sdk): Promise<void> => {
    await uses(client, sdk, aliasOf(behind), ASKING.has(behind));
    for (const other of clients) assert.ok(other.client === client || !isAsked(other.client, sdk));
  };
  for (const round of ALL.keys())
    await Promise.all(
      clients.map((each, at) => {
        const behind = ALL[(at + round) % ALL.length] as Sdk;
        return t.test(`${each.sdk} with a child on ${behind}`, () => use(each, behind));
      }),
    );
});

/** Whether a client was asked what a client on this SDK was to be asked. */
function isAsked({ questions }: SdkClient, sdk: Sdk): boolean {
  return questions.some((question) => question.includes(`${sdk}?`));
}
