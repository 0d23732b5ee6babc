vim9script
# The commands that keys may be: those that move in a text or change it. What else there is, is only known by what it would do.

def Control(letters: string): list<string>
  return split(letters, '\zs')->mapnew((_, letter) => nr2char(and(char2nr(letter), 31)))
enddef

def Table(characters: string, more: list<string> = []): dict<bool>
  var table: dict<bool> = {}
  for key in split(characters, '\zs') + more
    table[key] = true
  endfor
  return table
enddef

export const REGISTERS = Table('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"-_')
const MARKS = Table("abcdefghijklmnopqrstuvwxyz<>[].^(){}'`\"")
const OBJECTS = Table("wWspbBt\"'`()[]{}<>")
const MOVES = Table('hjklwWeEbB0^$+-_(){}GHML%;,nN*#|/? ', Control('MNPH') + ["\<CR>", "\<BS>", "\<Esc>", "\<Up>", "\<Down>",
  "\<Left>", "\<Right>", "\<Home>", "\<End>"])
const SCROLLS = Table('', Control('DUEYFB') + ["\<PageUp>", "\<PageDown>"])
# Commands of two keys: the first, and which may follow. ANY is a character.
export const ANY = {}
const PAIRS = {
  f: ANY, F: ANY, t: ANY, T: ANY, "'": MARKS, '`': MARKS, g: Table('geE_jk0^$mMonNdD*#'),
  '[': Table("(){}[]mM*/'`"), ']': Table("(){}[]mM*/'`"),
}

# By mode: the keys that are a command, and those that begin one of two keys.
export const COMMANDS = {
  n: {
    keys: extendnew(MOVES, SCROLLS)->extend(Table('xXsSdDcCyYpPoOiIaAJ~uU.<>vVR=', Control('VQAXR') + ["\<Del>"])),
    pairs: extendnew(PAIRS, {
      r: ANY, m: Table('abcdefghijklmnopqrstuvwxyz'), g: extendnew(PAIRS.g, Table('uU~?JviIpPqwRr-+')),
      z: Table("tzb.-+^hlsHL", ["\<CR>"]), '[': extendnew(PAIRS['['], Table('pP')), ']': extendnew(PAIRS[']'], Table('pP')),
    }),
  },
  o: {
    keys: extendnew(MOVES, Table('dcy<>=uU~vV', Control('VQ'))),
    pairs: extendnew(PAIRS, {i: OBJECTS, a: OBJECTS, g: extendnew(PAIRS.g, Table('uU~?qw'))}),
  },
  x: {
    keys: extendnew(MOVES, SCROLLS)->extend(Table('dDxXyYcCsSRJuU~<>=pPoOvVAI', Control('VQAX') + ["\<Del>"])),
    pairs: extendnew(PAIRS, {
      r: ANY, i: OBJECTS, a: OBJECTS, m: Table('abcdefghijklmnopqrstuvwxyz'),
      g: extendnew(PAIRS.g, Table('uU~?Jvqw', Control('AX'))), z: Table("tzb.-+^hlsHL", ["\<CR>"]),
    }),
  },
  i: {
    keys: Table('', Control('MIHWUTDJEYO') + ["\<Esc>", "\<CR>", "\<Tab>", "\<BS>", "\<Del>", "\<Up>", "\<Down>", "\<Left>",
      "\<Right>", "\<Home>", "\<End>"]),
    pairs: {"\<C-R>": REGISTERS, "\<C-G>": Table('ujkU')},
  },
  # Only of a search.
  c: {
    keys: Table('', Control('HUW') + ["\<Esc>", "\<CR>", "\<BS>", "\<Del>", "\<Left>", "\<Right>", "\<Home>", "\<End>"]),
    pairs: {},
  },
}
# The bits of maplist() for each of them.
export const BITS = {n: 1, x: 2, o: 4, c: 8, i: 16}

# What else keys would do, by how they begin.
const EFFECTS = {
  ZZ: 'write and quit', ZQ: 'quit', '!': 'run a shell command', K: 'run a program', q: 'record a macro', '@': 'play a macro',
  gf: 'go to another buffer', gF: 'go to another buffer', gt: 'go to another tab page', gT: 'go to another tab page',
  "\<C-]>": 'go to another buffer', "\<C-T>": 'go to another buffer', "\<C-^>": 'go to another buffer',
  "\<C-W>": 'change windows', "\<C-O>": 'leave the view', "\<Tab>": 'leave the view', "\<C-Z>": 'suspend Vim',
  '=': 'run a program', gq: 'run a program',
}
const EX = {
  write: 'write', update: 'write', wall: 'write', saveas: 'write', wq: 'write and quit', xit: 'write and quit',
  exit: 'write and quit', wqall: 'write and quit', xall: 'write and quit', quit: 'quit', qall: 'quit', quitall: 'quit',
  cquit: 'quit', close: 'change windows', split: 'change windows', vsplit: 'change windows', edit: 'go to another buffer',
  '!': 'run a shell command',
}

# What keys would do that begin so: a list of them.
export def Effect(keys: list<string>): string
  var [first, second] = [keys[0], get(keys, 1, '')]
  if first == ':'
    return get(EX, FullName(keys[1 :]->join('')->matchstr('^[^[:cntrl:]]*')), 'run an Ex command')
  elseif first == '<cmd>' || first == '<scriptcmd>'
    return 'run an Ex command'
  elseif first =~ "^['`m]$" && second =~ '^[A-Z0-9]$'
    return 'go to another buffer'
  endif
  return get(EFFECTS, first .. second, get(EFFECTS, first, 'do what is not offered in a view'))
enddef

def FullName(text: string): string
  try
    return text =~ '^\s*!' ? '!' : fullcommand(text)
  catch
    return ''
  endtry
enddef
