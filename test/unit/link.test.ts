import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { Fault } from '../../shared/fault.js';
import { limits } from '../../shared/limits.js';
import { type Link, memoryLinks, streamLink } from '../../shared/link.js';
import { soon } from '../kit/until.js';

/** What a link delivers; `whole` is fulfilled at its end. */
function taking(link: Link, inputEnd?: () => void): { messages: string[]; ends: Fault[]; whole: Promise<Fault> } {
  const messages: string[] = [];
  const ends: Fault[] = [];
  const whole = new Promise<Fault>((resolve) => {
    link.start({
      message: (bytes) => messages.push(bytes.toString()),
      end: (why) => {
        ends.push(why);
        resolve(why);
      },
      ...(inputEnd === undefined ? {} : { inputEnd }),
    });
  });
  return { messages, ends, whole };
}

describe('a memory link', () => {
  it('delivers what came before it was started, in order', async () => {
    const [left, right] = memoryLinks();
    left.send('{"a":', Buffer.from('1}'));
    left.send('{}');
    await new Promise((resolve) => setImmediate(resolve));
    const { messages, whole } = taking(right);
    left.send('[]');
    left.close();
    await soon('end', whole);
    assert.deepEqual(messages, ['{"a":1}', '{}', '[]']);
  });

  it('tells each side of the end once', async () => {
    const [left, right] = memoryLinks();
    const [near, far] = [taking(left), taking(right)];
    left.close(new Fault('gone', 'enough'));
    left.close();
    right.close();
    await Promise.all([soon('end', near.whole), soon('end', far.whole)]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    assert.deepEqual([near.ends.map(String), far.ends.length], [['Fault: enough'], 1]);
  });

  it('delivers and sends nothing after its end', async () => {
    const [left, right] = memoryLinks();
    const [near, far] = [taking(left), taking(right)];
    right.send('late');
    left.close();
    left.send('lost');
    await soon('end', far.whole);
    assert.deepEqual([near.messages, far.messages], [[], []]);
  });

  it('tells of the end also when it is started after it', () => {
    const [left] = memoryLinks();
    left.close(new Fault('gone', 'before'));
    assert.deepEqual(taking(left).ends.map(String), ['Fault: before']);
  });
});

describe('a stream link', () => {
  it('gives up on a peer that does not read', async () => {
    const stuck = new Writable({ write: () => undefined });
    const link = streamLink('the child', new PassThrough(), stuck);
    const { whole } = taking(link);
    link.send('{}');
    Object.defineProperty(stuck, 'writableLength', { value: limits.unsent + 1 });
    link.send('{}');
    const why = await soon('end', whole);
    assert.equal(why.kind, 'gone');
    assert.match(why.message, /^the child does not read: more than \d+ bytes wait for it$/);
    assert.ok(stuck.destroyed);
  });

  it('ends at a line that is too long', async () => {
    const input = new PassThrough();
    const { messages, whole } = taking(streamLink('x', input, new PassThrough(), { maxLine: 8 }));
    input.write('12345678\n123456789');
    assert.equal((await soon('end', whole)).kind, 'protocol');
    assert.deepEqual(messages, ['12345678']);
  });

  it('ends when either of its streams fails, and says how', async () => {
    for (const broken of [0, 1] as const) {
      const streams = [new PassThrough(), new PassThrough()] as const;
      const { whole } = taking(streamLink('x', ...streams));
      streams[broken].destroy(new Error('wire cut'));
      assert.match((await soon('end', whole)).message, /the connection to x was lost: wire cut/);
    }
  });

  it('ends with its input, unless its receiver wants to answer what is open', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const plain = taking(streamLink('x', input, new PassThrough()));
    input.end('{}\n');
    await soon('end', plain.whole);
    assert.deepEqual(plain.messages, ['{}']);

    const half = new PassThrough();
    const link = streamLink('x', half, output);
    const { ends } = await soon(
      'end of the input',
      new Promise<ReturnType<typeof taking>>((resolve) => {
        const taken = taking(link, () => resolve(taken));
        half.end();
      }),
    );
    assert.deepEqual(ends, []);
    link.send('{"last":1}');
    link.close();
    assert.equal((await output.toArray()).join(''), '{"last":1}\n');
    assert.equal(ends.length, 1);
  });

  it('sends over TCP what was given before it was closed', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const near = connect((server.address() as { port: number }).port, '127.0.0.1');
    const [far] = (await once(server, 'connection')) as [Socket];
    const link = streamLink('near', near, near);
    const text = JSON.stringify('x'.repeat(3_000_000));
    link.send(text);
    link.close();
    const { messages, whole } = taking(streamLink('far', far, far));
    await soon('end', whole);
    assert.equal(messages[0], text);
  });
});
