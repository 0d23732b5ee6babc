import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Flag, readArguments, readFlags, usage } from '../../shared/flags.js';

const TABLE: readonly Flag[] = [
  { name: 'loud', help: 'say more' },
  { name: 'name', value: 'NAME', help: 'the name' },
  { name: 'add', value: 'X', many: true, help: 'one more' },
];

const read = (...argv: string[]): [string, readonly string[]][] => [...readFlags(TABLE, argv)];

describe('a command line', () => {
  it('may give a value apart or with an equals sign', () => {
    assert.deepEqual(read('--name', 'a', '--loud'), [
      ['name', ['a']],
      ['loud', ['']],
    ]);
    assert.deepEqual(read('--name=a=b'), [['name', ['a=b']]]);
    assert.deepEqual(read('--name='), [['name', ['']]]);
  });

  it('may repeat what can be given many times, and what has no value', () => {
    assert.deepEqual(read('--add', '1', '--loud', '--add=2', '--loud'), [
      ['add', ['1', '2']],
      ['loud', ['', '']],
    ]);
  });

  it('keeps the order of words and options', () => {
    const found = readArguments(TABLE, ['one', '--loud', 'two']).map((each) =>
      'word' in each ? each.word : each.flag.name,
    );
    assert.deepEqual(found, ['one', 'loud', 'two']);
  });

  for (const [argv, message] of [
    [['--nome', 'a'], 'unknown option --nome'],
    [['-l'], 'unknown option -l'],
    [['--loud=yes'], '--loud takes no value'],
    [['--name'], '--name needs a value: --name NAME'],
    [['--name', '--loud'], '--name needs a value: --name NAME'],
    [['--name', 'a', '--name', 'b'], '--name is given twice'],
    [['stray'], 'unexpected argument "stray"'],
    [['--constructor'], 'unknown option --constructor'],
  ] as const) {
    it(`is refused: ${argv.join(' ')}`, () => {
      assert.throws(() => read(...argv), { kind: 'invalid', message, next: 'Run with --help for the options.' });
    });
  }

  it('is explained line by line', () => {
    assert.equal(
      usage('prog [options]', TABLE),
      'prog [options]\n\n  --loud       say more\n  --name NAME  the name\n  --add X      one more\n',
    );
  });
});
