/** Clients and children on the SDKs of all protocol revisions, each with each, over standard streams and HTTP. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, hubUrl, PROGRAM } from '../kit/hub.js';
import { connectSdk, type Front, type SdkClient } from '../kit/sdk-client.js';
import { uses } from '../kit/sdk-use.js';
import { ASKING, BEFORE_HTTP, SDKS, type Sdk } from '../kit/sdks.js';

const ALL = Object.keys(SDKS) as Sdk[];

/** `sdk-1-9`, and so on. */
function aliasOf(sdk: Sdk): string {
  return sdk.toLowerCase().replace(/\W/g, '-');
}

/** A child on each SDK. */
const CHILDREN = ALL.flatMap((sdk) => [
  ...(sdk === 'SDK 2' ? child(aliasOf(sdk), 'sdk2') : child(aliasOf(sdk), 'sdk1', SDKS[sdk])),
  '--eager',
]);

async function connect(t: TestContext, sdk: Sdk, front: Front): Promise<SdkClient> {
  const client = await connectSdk(sdk, front);
  cleanup(t, () => client.close());
  return client;
}

for (const sdk of ALL) {
  it(`a client on ${sdk} over standard streams uses all children`, async (t) => {
    const client = await connect(t, sdk, { args: [PROGRAM, '--stdio', ...CHILDREN], env: await freshHome(t) });
    for (const behind of ALL)
      await t.test(`on ${behind}`, () => uses(client, sdk, aliasOf(behind), ASKING.has(behind)));
  });
}

it('clients on all SDKs over HTTP use all children at one time', async (t) => {
  const url = await hubUrl(t, CHILDREN);
  const clients: { readonly sdk: Sdk; readonly client: SdkClient }[] = [];
  for (const sdk of ALL.filter((each) => each !== BEFORE_HTTP))
    clients.push({ sdk, client: await connect(t, sdk, { url }) });
  for (const behind of ALL)
    for (const { sdk, client } of clients)
      await t.test(`${sdk} with a child on ${behind}`, async () => {
        await uses(client, sdk, aliasOf(behind), ASKING.has(behind));
        for (const other of clients) assert.ok(other.client === client || !isAsked(other.client, sdk));
      });
});

/** Whether a client was asked what a client on this SDK was to be asked. */
function isAsked({ questions }: SdkClient, sdk: Sdk): boolean {
  return questions.some((question) => question.includes(`${sdk}?`));
}
