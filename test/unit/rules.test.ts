import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { PathPattern, resolvedPath } from '../../shared/path-pattern.js';
import { type Files, firstMatch, type Rule } from '../../shared/rule.js';
import { formatRule, formatRules, inserted, moved, parseRules, removed } from '../../shared/rule-text.js';
import { type Words, wordsFor } from '../../shared/rule-words.js';
import { folder, setVariable } from '../kit/home.js';

const WORDS = wordsFor('vim-default') as Words;

const parsed = (text: string) => parseRules(text, WORDS, 'FILE');

/** What the rules say; `-` where none matches. */
async function decided(text: string, action: string, subject: string, files?: Files): Promise<string> {
  const asked = { action, subject, ...(files === undefined ? {} : { files: async () => files }) };
  return (await firstMatch(parsed(text).sections, asked))?.rule.decision ?? '-';
}

const rule = (...lines: readonly string[]): string => `[rule]\n${lines.join('\n')}\n`;

describe('rules', () => {
  it('are found in a file as others have it', async () => {
    const text = rule('decision=allow', 'action=read', 'subject=target:my-editor', 'sandbox-grants=');
    assert.equal(await decided(text, 'read', 'target:my-editor'), 'allow');
    for (const [action, subject] of [
      ['write', 'target:my-editor'],
      ['read', 'target:my-editor2'],
      ['read', 'targets'],
    ] as const)
      assert.equal(await decided(text, action, subject), '-');
  });

  it('decide in their order, the first that matches', async () => {
    const text = rule('decision=deny', 'action=write', 'subject=target:a') + rule('decision=allow', 'action=write');
    assert.equal(await decided(text, 'write', 'target:a'), 'deny');
    assert.equal(await decided(text, 'write', 'target:b'), 'allow');
  });

  it('without a subject are for all of them, with the action * for all actions', async () => {
    const text = rule('decision=ask', 'action=*');
    for (const subject of ['targets', 'target:x', 'ex:"x":"quit"'])
      assert.equal(await decided(text, 'exec', subject), 'ask');
  });

  it('take no character of a subject for a pattern', async () => {
    const text = rule('decision=allow', 'action=read', 'subject=target:*');
    assert.equal(await decided(text, 'read', 'target:*'), 'allow');
    assert.equal(await decided(text, 'read', 'target:x'), '-');
  });

  it('take a prefix only up to where a part of the subject ends', async () => {
    const text = rule('decision=allow', 'action=exec', 'subject-prefix=ex:"ed":');
    assert.equal(await decided(text, 'exec', 'ex:"ed":"quit"'), 'allow');
    assert.equal(await decided(text, 'exec', 'ex:"ed2":"quit"'), '-');
    assert.throws(
      () => parsed(rule('decision=allow', 'action=exec', 'subject-prefix=ex:"ed":"upd')),
      /FILE:1: .*subject-prefix/,
    );
  });

  it('compare commands by what they are, however their JSON is written', async () => {
    const text = rule('decision=deny', 'action=exec', String.raw`subject=ex:"\u0065d":"\u0071uit\u000a"`);
    assert.equal(await decided(text, 'exec', 'ex:"ed":"quit\\n"'), 'deny');
  });

  for (const [what, line, text] of [
    ['a word that is no action', 1, rule('decision=allow', 'action=wirte')],
    ['no action', 1, rule('decision=allow')],
    ['no decision', 1, rule('action=read')],
    ['a decision that is none', 1, rule('decision=yes', 'action=read')],
    ['an empty subject, which is not every subject', 1, rule('decision=allow', 'action=read', 'subject=')],
    ['a subject of another kind', 1, rule('decision=allow', 'action=exec', 'subject=ex:ed:quit')],
    ['a subject and a prefix', 1, rule('decision=deny', 'action=read', 'subject=targets', 'subject-prefix=ex:')],
    ['grants', 1, rule('decision=allow', 'action=read', 'sandbox-grants=x')],
    ['a path that begins nowhere', 1, rule('decision=allow', 'action=read', 'path=notes/**')],
    ['a path with ..', 1, rule('decision=allow', 'action=read', 'path=/a/../b')],
    ['an empty path', 1, rule('decision=allow', 'action=read', 'path=')],
    ['an unknown key', 3, rule('decision=allow', 'actions=read')],
    ['a key twice', 4, rule('decision=allow', 'action=read', 'action=write')],
    ['a line that is none', 3, rule('decision=allow', 'action')],
    ['half a JSON string', 4, rule('decision=allow', 'action=read', 'subject="target:x')],
    ['another section', 1, '[rules]\n'],
    ['a key before any rule', 2, '# rules\ndecision=allow\n'],
    ['a mistake behind good rules', 4, `${rule('decision=allow', 'action=read')}[rule]\naction=read\n`],
  ] as const)
    it(`are broken, and none counts, with ${what}`, () => {
      assert.throws(() => parsed(text), { kind: 'invalid', message: new RegExp(`^FILE:${line}: `) });
    });

  it('may have comments, empty lines, CRLF and a mark of their encoding', async () => {
    const text = '\uFEFF# mine\r\n\r\n; old\r\n[rule]\r\n decision = deny \r\n# why\r\naction=read\r\n';
    assert.equal(await decided(text, 'read', 'targets'), 'deny');
  });

  it('bring every character of a subject back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (name, isCommand) => {
        fc.pre(name !== '');
        const subject = isCommand ? `ex:"ed":${JSON.stringify(name)}` : `target:${name}`;
        const [found] = parsed(`${formatRule({ decision: 'deny', action: 'exec', subject }).join('\n')}\n`).sections;
        assert.equal(found?.rule.subject, subject);
      }),
      { numRuns: 2000 },
    );
  });

  it('with lone surrogates stay apart', () => {
    for (const subject of [
      'target:\ud800',
      'target:\udfff',
      'target:\ufffd',
      'target: a ',
      'target:a\r',
      'target:a\nb',
    ]) {
      const bytes = Buffer.from(formatRule({ decision: 'deny', action: 'read', subject }).join('\n'));
      assert.equal(parsed(bytes.toString()).sections[0]?.rule.subject, subject);
    }
  });

  it('never stand in the file with characters that show something else', () => {
    const lines = formatRule({ decision: 'allow', action: 'read', subject: 'target:a\u202eb\u{e0041}' });
    assert.ok(lines.includes(String.raw`subject="target:a\u202eb\udb40\udc41"`), lines.join('\n'));
  });
});

describe('the text of a rule file', () => {
  const TEXT =
    '# My rules\n\n# the first\n[rule]\ndecision=allow\n# inside\naction=read\n\n# the second\n[rule]\ndecision=deny\naction=save\n# end\n';
  const NEW: Rule = { decision: 'ask', action: 'write' };

  it('comes back as it was', () => {
    assert.equal(formatRules(parsed(TEXT)), TEXT);
  });

  it('keeps its comments with their rules', () => {
    const [one, two] = [
      '# the first\n[rule]\ndecision=allow\n# inside\naction=read\n',
      '# the second\n[rule]\ndecision=deny\naction=save\n',
    ];
    const three = '[rule]\ndecision=ask\naction=write\n';
    const text = parsed(TEXT);
    assert.equal(formatRules(moved(text, 1, 0)), `# My rules\n\n${two}\n${one}# end\n`);
    assert.equal(formatRules(moved(text, 0, 1)), `# My rules\n\n${two}\n${one}# end\n`);
    assert.equal(formatRules(removed(text, 0)), `# My rules\n\n${two}# end\n`);
    assert.equal(formatRules(inserted(text, NEW, 0)), `# My rules\n\n${three}\n${one}\n${two}# end\n`);
    assert.equal(formatRules(inserted(text, NEW, 2)), `# My rules\n\n${one}\n${two}\n${three}# end\n`);
    assert.equal(formatRules(inserted(parsed('# none yet\n'), NEW, 0)), `# none yet\n\n${three}`);
    assert.equal(formatRules(inserted(parsed(''), NEW, 0)), three);
  });
});

describe('a path in a rule', () => {
  const matches = (pattern: string, path: string): boolean => new PathPattern(pattern).matches(path);

  it('is a pattern of names', () => {
    for (const [pattern, path, expected] of [
      ['/x/a.txt', '/x/a.txt', true],
      ['/x/a.txt', '/x/a-txt', false],
      ['/x/a.txt', '/x/a.txt/b', false],
      ['/x/', '/x/a/b', true],
      ['/x/', '/x', false],
      ['/x/', '/xy/a', false],
      ['/x/*.md', '/x/a.md', true],
      ['/x/*.md', '/x/b/a.md', false],
      ['/x/**/*.md', '/x/a.md', true],
      ['/x/**/*.md', '/x/b/c/a.md', true],
      ['/x/?', '/x/é', true],
      ['/x/[ab]', '/x/a', false],
      ['/x/(a|b)', '/x/(a|b)', true],
      ['/**', '/a', true],
      ['/x/*', '/x/a\nb', true],
    ] as const)
      assert.equal(matches(pattern, path), expected, `${pattern} and ${path}`);
  });

  it('begins at home with ~/', (t) => {
    setVariable(t, 'HOME', '/home/person');
    assert.ok(matches('~/notes/**', '/home/person/notes/a'));
  });

  /** A project with links. */
  async function project(t: TestContext): Promise<string> {
    const root = resolvedPath(await folder(t)) ?? '';
    await mkdir(join(root, 'inside/deep'), { recursive: true });
    await mkdir(join(root, 'outside'));
    await writeFile(join(root, 'outside/secret'), '');
    await symlink('../outside', join(root, 'inside/way'));
    await symlink('../outside/new', join(root, 'inside/dangling'));
    await symlink('loop', join(root, 'inside/loop'));
    await symlink('inside', join(root, 'alias'));
    return root;
  }

  it('is compared with where a path leads to', async (t) => {
    const root = await project(t);
    for (const [path, expected] of [
      ['inside/deep/x', 'inside/deep/x'],
      ['inside/new/deeper/x', 'inside/new/deeper/x'],
      ['inside/way/secret', 'outside/secret'],
      ['inside/way/new', 'outside/new'],
      ['inside/dangling', 'outside/new'],
      ['inside/deep/../../outside/secret', 'outside/secret'],
      ['inside/way/../outside/secret', 'outside/secret'],
      ['inside/way/../inside/deep', 'inside/deep'],
      ['alias/deep', 'inside/deep'],
    ] as const)
      assert.equal(resolvedPath(`${root}/${path}`), join(root, expected), path);
    for (const path of [`${root}/inside/loop`, `${root}/none/../x`, 'relative', `${root}/a\0b`])
      assert.equal(resolvedPath(path), undefined, path);
  });

  it('holds for its folder, also where it is named by a link', async (t) => {
    const root = await project(t);
    assert.ok(matches(`${root}/alias/**`, `${root}/inside/deep/x`));
    assert.ok(!matches(`${root}/alias/**`, `${root}/outside/secret`));
  });

  it('allows only if all files match, and denies or asks if one does or nobody knows', async () => {
    const allow = rule('decision=allow', 'action=read', 'path=/x/**');
    const deny = rule('decision=deny', 'action=read', 'path=/x/**');
    const ask = rule('decision=ask', 'action=read', 'path=/x/**');
    const cases: readonly (readonly [Files | undefined, string, string, string])[] = [
      [['/x/a'], 'allow', 'deny', 'ask'],
      [['/x/a', '/y'], '-', 'deny', 'ask'],
      [['/y'], '-', '-', '-'],
      [[], '-', '-', '-'],
      ['any', '-', 'deny', 'ask'],
      [undefined, '-', '-', '-'],
    ];
    for (const [files, ...expected] of cases) {
      const found = [allow, deny, ask].map((text) => decided(text, 'read', 'target:e', files));
      assert.deepEqual(await Promise.all(found), expected, JSON.stringify(files));
    }
  });
});
