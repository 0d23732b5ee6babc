import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { answers } from '../../child-vim/protocol.js';
import { wireSchema } from '../../child-vim/schema.js';
import { state } from '../../child-vim/tools/state.js';
import { listedTools, tokens } from '../kit/catalogue.js';

/** What the tools for text may cost a model, and those for working together; see docs/decisions/0040. */
const MOST_TOKENS = 6000;
const MOST_TOGETHER = 800;
const TOGETHER = ['watch', 'trace', 'start-editor'];
const MOST_IN_VIEWS = 600;
const IN_VIEWS = ['view-open', 'view-close', 'keys', 'stop-editor'];

describe('the list of tools', () => {
  it(`costs a model less than ${MOST_TOKENS} tokens, ${MOST_TOGETHER} more for working together, ${MOST_IN_VIEWS} for views`, async () => {
    const listed = await listedTools();
    const costOf = (isCounted: (name: string) => boolean): number =>
      tokens(listed.filter(({ name }) => isCounted(name)));
    const costs: [number, number][] = [
      [MOST_TOKENS, costOf((name) => !TOGETHER.includes(name) && !IN_VIEWS.includes(name))],
      [MOST_TOGETHER, costOf((name) => TOGETHER.includes(name))],
      [MOST_IN_VIEWS, costOf((name) => IN_VIEWS.includes(name))],
    ];
    for (const [most, cost] of costs) {
      assert.ok(cost < most, `${cost} tokens, not less than ${most}; npm run tokens shows where they are`);
    }
  });

  it('has schemas that clients of the older SDK take', async () => {
    for (const { name, inputSchema, outputSchema } of await listedTools()) {
      for (const schema of [inputSchema, outputSchema]) {
        assert.doesNotThrow(() => new AjvJsonSchemaValidator().getValidator(schema as object), name);
      }
    }
  });

  it('has only patterns that are valid under the flag u', async () => {
    for (const { name, inputSchema, outputSchema } of await listedTools()) {
      for (const pattern of [...patterns(inputSchema), ...patterns(outputSchema)]) {
        assert.doesNotThrow(() => new RegExp(pattern, 'u'), `${name}: ${pattern}`);
      }
    }
  });

  it('says of each argument what it is', async () => {
    const { inputSchema } = (await listedTools()).find(({ name }) => name === 'apply-diff') ?? {};
    const { properties, ...rest } = inputSchema as { properties: Record<string, unknown> };
    assert.deepEqual(rest, {
      type: 'object',
      required: ['buffer', 'expected_changedtick', 'diff'],
      additionalProperties: false,
    });
    assert.deepEqual(properties['buffer'], { type: 'integer', description: 'Buffer number from state' });
  });
});

describe('a schema on the wire', () => {
  it('leaves out bounds of integers and lengths, and keeps the others', () => {
    const { properties } = wireSchema(state.input, 'input') as { properties: Record<string, unknown> };
    assert.deepEqual(properties['offset'], { default: 0, type: 'integer' });
    assert.deepEqual(properties['limit'], { default: 50, type: 'integer', maximum: 200 });
  });

  it('takes the results that come', () => {
    const validate = new AjvJsonSchemaValidator().getValidator(wireSchema(answers.probe, 'output'));
    const facts = {
      buffer: 1,
      filename: '',
      changedtick: 2,
      line_count: 1,
      modified: false,
      modifiable: true,
      name: '',
    };
    assert.equal(validate(facts).valid, true);
    assert.equal(validate({ ...facts, buffer: 'one' }).valid, false);
  });
});

/** All patterns in a schema. */
function patterns(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'pattern' && typeof value === 'string' ? [value] : patterns(value),
  );
}
