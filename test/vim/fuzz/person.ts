import type { Random } from '../../kit/random.js';
import type { Snapshot } from './snapshot.js';

/** Some keys that a person types in one go. */
export interface Burst {
  readonly keys: string;
  /** They end in the middle of a command that mode(1) does not show, such as `"` or `f`. */
  readonly half: boolean;
}

type Keys = string | ((random: Random) => string);

/** Keys by their Vim names where they are no characters; `list` splits at blanks. */
const NAMED: Readonly<Record<string, string>> = { Esc: '\x1b', CR: '\r', BS: '\x7f', Space: ' ', Nul: '\0' };
const named = (keys: string): string =>
  keys
    .replace(/<C-(.)>/g, (_, key: string) => String.fromCharCode(key.charCodeAt(0) & 0x1f))
    .replace(/<(\w+)>/g, (whole, name: string) => NAMED[name] ?? whole);
const list = (keys: string): readonly string[] => keys.trim().split(/\s+/).map(named);

const ESC = '\x1b';
const ARROWS = [`${ESC}[A`, `${ESC}[B`, `${ESC}[C`, `${ESC}[D`];
const WORDS = [
  'alpha',
  'beta',
  'gamma',
  'do',
  'eps (one) two',
  'zeta',
  'née',
  '🙂 no',
  'tab\there',
  'nu. xi, omi',
  'i',
];

/** Text that does no harm where it is taken for commands because the one before it failed. */
export function words(random: Random, most = 3): string {
  return Array.from({ length: 1 + random.below(most) }, () => random.pick(WORDS)).join(' ');
}

const lnum = (random: Random): number => 1 + random.below(14);
const letter = (random: Random): string => random.pick(['a', 'e', 't', ' ', 'o', '(']);
const count = (random: Random): string => (random.chance(0.25) ? String(2 + random.below(3)) : '');

const MOTIONS: readonly Keys[] = [
  ...list(`h j k l w b e ge 0 $ ^ g_ gg G H M L { } ( ) % ; , n N * # 'a \`b 'c '' \`\` - + _ gj gk`),
  (random) => `${count(random)}${random.pick(['j', 'k', 'w', 'l'])}`,
  (random) => `${lnum(random)}G`,
  (random) => `${random.pick(['f', 't', 'F', 'T'])}${letter(random)}`,
  (random) => `${lnum(random)}|`,
];

const OBJECTS: readonly Keys[] = list('iw aw ip ap is as i( a( iW');

/** Ex commands, without colon and Enter. */
const COMMANDS: readonly Keys[] = [
  (random) => `%s/${letter(random)}/${random.pick(['x', 'ee', '', '&&', '\\r'])}/${random.pick(['', 'g'])}`,
  (random) => `s/${letter(random)}/-/`,
  (random) => `g/${letter(random)}/${random.pick(['d', 's/a/A/', 'normal Az', 'm0', 't.', 'j'])}`,
  (random) => `v/${letter(random)}/d`,
  (random) => `${lnum(random)}d`,
  (random) => `${lnum(random)}${random.pick(['t', 'm'])}${random.below(4)}`,
  (random) => `${lnum(random)}put`,
  (random) => `%normal ${random.pick(['Ax', 'x', 'Ix ', 'dw'])}`,
  (random) => `normal ${random.pick(['Ax', 'ddp', 'yyp', 'dwj.', '3x', 'Oup', 'J'])}`,
  (random) => `earlier ${1 + random.below(4)}`,
  (random) => `later ${1 + random.below(4)}`,
  (random) => `undo ${random.below(12)}`,
  (random) => `k ${random.pick(['a', 'b', 'c'])}`,
  (random) => `b${1 + random.below(3)}`,
  (random) => `sb${1 + random.below(3)}`,
  ...list('sort sort! 2,6sort e! w j 1,3j > < undo redo noh && bn only 2,3!sort retab left center close tabonly enew'),
  ...['earlier 1f', 'undojoin | normal Aj', 'delmarks a', 'right 30', 'set list!', 'set wrap!', 'set number!'],
  ...['keepjumps 3', 'new | b1', 'tabnew | b2', 'let @b = "put"'],
];

const EDITS: readonly Keys[] = [
  ...list('x X D dd yy Y p P ]p gp gP J gJ ~ >> << guu gUU ddp xp "ayy "ap "add "Ayy "bp "1p u u u uu U <C-R> <C-R>'),
  ...list('g- g+ . 3. & <C-A> <C-X> gqq yyp yyP dgg g& gv gi gI ma mb mc gu$ dG'),
  (random) => `${count(random)}${random.pick(list('x dd yy p J u <C-R> ~ >>'))}`,
  (random) => `${random.pick(list('d y > gu "ad "by'))}${keys(random, random.pick([MOTIONS, OBJECTS]))}`,
  (random) => `${random.pick(['c', '"ac'])}${keys(random, OBJECTS)}${words(random)}${ESC}`,
  (random) => `r${letter(random)}`,
  (random) => `${count(random)}${random.pick(list('A I a i o S s C R'))}${words(random)}${ESC}`,
  (random) => `O${words(random)}${ESC}`,
];

const VIEWS: readonly Keys[] = [
  ...list('zt zz zb <C-E> <C-Y> <C-D> <C-U> <C-F> <C-B> zfj zfap zE zR zM zo zc za <C-O> g; g, <C-^> ga'),
  ...list('<C-W>s <C-W>v <C-W>w <C-W>w <C-W>c <C-W>o <C-W>p <C-W>='),
];

/** Recorded and played; what is inserted or yanked never gets into the register that is played. */
const MACROS: readonly Keys[] = [
  (random) => `qq${keys(random, EDITS)}q`,
  (random) => `qq${keys(random, MOTIONS)}${keys(random, EDITS)}q`,
  ...list('@q 3@q @@'),
];

const NORMAL = [MOTIONS, EDITS, EDITS, EDITS, VIEWS, MACROS];

/** Commands that begin another mode. */
const STARTS: readonly Keys[] = list(
  `i a A I o O R cw cc S s 3i 2A gi gI gR 2o C c2j v V <C-V> gh gv d y c > gU "ad 2d = g~ zf
   : / ? :s/a :g/a/d /alp :% :norm q: q/ 10:`,
);

/** They wait for more, and the mode does not show it. */
const HALVES: readonly Keys[] = list(`" "a 2 "b3 g z m ' \` f t r q @ <C-W> [ ] gr`);
const INSERT_HALVES: readonly Keys[] = list('<C-R> <C-K> <C-O>" <C-O>2');

const INSERTED: readonly Keys[] = [
  (random) => words(random),
  (random) => words(random),
  (random) => `${words(random)}\r`,
  (random) => `${words(random)}\r${words(random)}`,
  ...list(
    '<BS> <BS><BS> <C-W> <C-U> <C-R>a <C-R>" <C-R><C-R>b <C-O>x <C-O>D <C-O>j <C-T> <C-D> <C-A> <C-V>q <C-V>u00e9',
  ),
  ...list('<C-G>u <C-K>a: <C-E> <C-Y> a<C-N> a<C-P> <C-N> <C-P> <C-X><C-L> <C-X><C-N> <C-O> <C-X> <C-O>u <C-O>d <Nul>'),
  ...list('<CR> <CR><CR> <Esc> <Esc> <Esc> <Esc> <Esc> <Esc> <Esc> <Esc>'),
  ...ARROWS,
];

const COMPLETING: readonly Keys[] = list('<C-N> <C-P> <C-N><C-N> <C-Y> <C-E> <Esc> <Space> a <BS> <CR>');

const VISUAL: readonly Keys[] = [
  ...MOTIONS,
  ...list('j j o O d y x > < ~ J u U rx p "ap "ay gJ ip aw v V <C-V> gv <C-A> g<C-A> zf :s/a/o/<CR> :sort<CR> :<C-U>'),
  ...list('" f r g D Y <Esc> <Esc> <Esc>'),
  (random) => `${random.pick(['c', 'I', 'A', 's'])}${words(random)}${ESC}`,
];

const SELECTING: readonly Keys[] = [...list('a <BS> <Esc> <C-G>'), ...ARROWS];

const OPERANDS: readonly Keys[] = [...MOTIONS, ...OBJECTS, ...list(`d y c v V 2 g f ' <Esc> <Esc> <Esc> <Esc>`)];

const COMMAND_LINE: readonly Keys[] = [...list('<CR> <CR> <Esc> <Esc> <C-U> <C-W> s <C-R> <C-B> <C-F>'), ...ARROWS];

const REPLACING: readonly Keys[] = [
  (random) => words(random),
  ...list('<BS> <BS><BS> <CR> <C-W> <C-R>a <C-O> <Esc> <Esc>'),
];

/** What a person types next where they are; `half` when the burst before was one and no Esc came since. */
export function burst(random: Random, seen: Snapshot, half: boolean): Burst {
  const next = half ? completion(random) : beginning(random, seen);
  if (seen.kept['recording'] === '') return next;
  // A macro that runs itself would never end.
  if (next.keys.includes('@')) return { keys: ESC, half: false };
  // What would begin to record ends it here, and the `q` that was to end it would wait for a register.
  return next.keys.startsWith('qq') ? { keys: 'q', half: false } : next;
}

function beginning(random: Random, { mode, kept }: Snapshot): Burst {
  if (mode === 'n' && kept['recording'] !== '' && random.chance(0.2)) return { keys: 'q', half: false };
  if (mode === 'n' && random.chance(0.08)) return { keys: keys(random, HALVES), half: true };
  if (mode === 'i' && random.chance(0.08)) return { keys: keys(random, INSERT_HALVES), half: true };
  if (mode === 'n' && random.chance(0.3)) return { keys: keys(random, STARTS), half: false };
  if (mode === 'n' && random.chance(0.25)) return { keys: `:${keys(random, COMMANDS)}\r`, half: false };
  const typed = keys(random, table(random, mode));
  return { keys: typed, half: (mode.startsWith('no') || isVisual(mode)) && HALVES.includes(typed) };
}

function completion(random: Random): Burst {
  const typed = keys(random, list('a b j d w 2 v <Esc> <Esc> <Esc> <Esc>'));
  return { keys: typed, half: typed !== ESC };
}

function isVisual(mode: string): boolean {
  return ['v', 'V', '\x16'].includes(mode[0] ?? '');
}

function table(random: Random, mode: string): readonly Keys[] {
  if (mode.startsWith('no')) return OPERANDS;
  if (/^(i|R|Rv)[cx]/.test(mode)) return COMPLETING;
  if (mode.startsWith('i')) return INSERTED;
  if (mode.startsWith('R')) return REPLACING;
  if (isVisual(mode)) return VISUAL;
  if (['s', 'S', '\x13'].includes(mode[0] ?? '')) return SELECTING;
  if (mode.startsWith('c')) return COMMAND_LINE;
  if (mode.startsWith('r')) return ['\r'];
  return random.pick(NORMAL);
}

function keys(random: Random, choices: readonly Keys[]): string {
  const choice = random.pick(choices);
  return typeof choice === 'string' ? choice : choice(random);
}
