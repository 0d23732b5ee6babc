vim9script
# Plays keys, one command after the other, none of which leads out of the text.
#
# Vim takes them from the mapping of NEXT, which is asked for more whenever Vim waits for a command, so that each is looked at
# in the very mode in which it runs. What is not in the tables is refused. Mappings of others play no part: the keys come from
# a mapping that is not mapped again. The <Ignore> behind each command keeps Vim from asking before it has run: it peeks at
# what follows a character that could be composed with it.

import autoload 'mcp/commands.vim'
import autoload 'mcp/notation.vim'

const NEXT = "\<Plug>(mcp-next)"
const MORE = "\<Ignore>" .. NEXT

# Characters of text and registers there may be in all, and what a command may add beside registers.
const MOST = 16777216
const OF_A_COMMAND = 4096
# Times that mappings are put in.
const MOST_MAPPED = 1000
# Characters of what is left of the keys that are told.
const TOLD = 80

# What is still to be played: {key, name, isFixed: not to be mapped}.
var queue: list<dict<any>> = []
# The person's mappings by their first key: {lhs: list of keys, rhs, bits, noremap, expr}.
var maps: dict<list<dict<any>>> = {}
# Commands for which the person has a program: = or gq.
var programs: list<string> = []
var outcome: dict<any> = {}
# What was to come when the last command began, and the product of its counts.
var current = ''
var count = 1
var mapped = 0

# Plays {keys}, with {maps} if there are any: {mode, unfinished}, where `mode` is that of the end, 'n' if keys were left over;
# {stopped: those, error} if a command failed, {refused, effect} if one was not run. Then the text is not to be used.
export def Play(p: dict<any>): dict<any>
  queue = notation.Parsed(p.keys)
  maps = {}
  for map in p.maps
    var lhs = notation.Parsed(map.lhs)->mapnew((_, item) => item.key)
    if lhs != []
      maps[lhs[0]] = get(maps, lhs[0], [])->add(extendnew(map, {lhs: lhs}))
    endif
  endfor
  programs = p.programs
  outcome = {mode: 'n', unfinished: false}
  noremap <special><buffer><expr> <Plug>(mcp-next) mcp#keys#Next()
  noremap! <special><buffer><expr> <Plug>(mcp-next) mcp#keys#Next()
  try
    execute 'silent normal! ' .. NEXT
  catch
    outcome.error = substitute(v:exception, '^Vim\%((\a\+)\)\=:', '', '')
  endtry
  if !has_key(outcome, 'refused') && (has_key(outcome, 'error') || !has_key(outcome, 'ended'))
    outcome.stopped = current
  endif
  return outcome
enddef

# What Vim is to read next.
export def Next(): string
  if has_key(outcome, 'refused')
    return ''
  endif
  var at = mode(1)
  var kind = Kind(at)
  current = Told(queue)
  if kind != 'o'
    count = 1
  endif
  if at == 'n'
    # Each command is undone by itself.
    &undolevels = &undolevels
  endif
  if queue == []
    End(at)
    # Nothing at all would be an <Esc> to Vim.
    return "\<Ignore>"
  elseif line2byte(line('$') + 1) > MOST
    return Refuse('make the text too long')
  endif
  var taken = kind == 'i' || kind == 'c' ? Typed(kind) : kind == '' ? Refuse('leave the text') : Command(kind)
  return taken == '' ? '' : taken .. MORE
enddef

def Kind(at: string): string
  if at =~ '^no'
    return 'o'
  elseif at == 'c'
    return getcmdtype() =~ '[/?]' ? 'c' : ''
  elseif index(['v', 'V', "\<C-V>"], at[0]) >= 0
    return 'x'
  elseif at =~ '^[iR][cx]'
    return ''
  endif
  return get({n: 'n', i: 'i', R: 'i'}, at[0], '')
enddef

# All keys were played. The modes that last from one call to the next are those of a selection.
def End(at: string)
  outcome.ended = true
  outcome.unfinished = at =~ '^no\|^c' || outcome.unfinished
  outcome.mode = Kind(at) == 'x' ? at[0] : 'n'
enddef

# A command of Normal or Visual mode, or a motion: counts and registers, then one key or two.
def Command(kind: string): string
  var table: dict<any> = commands.COMMANDS[kind]
  var taken = ''
  while true
    if taken !~ '\d$' || queue != [] && queue[0].key != '0'
      Mapped(kind)
    endif
    var key = get(queue, 0, {key: ''}).key
    if key =~ '^[1-9]$' || key == '0' && taken =~ '\d$'
      taken ..= Digits()
    elseif key == '"' && kind != 'o' && len(queue) > 1
      if !has_key(commands.REGISTERS, queue[1].key)
        return Refuse(queue[1].key == '=' ? 'evaluate an expression' : 'use what is not of the view')
      endif
      taken ..= Take() .. Take()
    elseif key == '' || len(queue) == 1 && has_key(table.pairs, key) || key == '"'
      # Half a command, which Vim would forget.
      queue = []
      outcome.unfinished = true
      return "\<Esc>"
    else
      return has_key(outcome, 'refused') ? '' : Finished(table, taken)
    endif
  endwhile
  return ''
enddef

def Digits(): string
  var digits = ''
  while queue != [] && queue[0].key =~ '^\d$'
    digits ..= Take()
  endwhile
  count *= min([str2nr(digits), MOST])
  return digits
enddef

def Finished(table: dict<any>, taken: string): string
  var key = queue[0].key
  var pair = len(queue) > 1 ? key .. queue[1].key : key
  if index(programs, key) >= 0 || index(programs, pair) >= 0
    return Refuse('run a program')
  elseif count > 1 && count * (OF_A_COMMAND + Longest()) > MOST
    return Refuse('make the text too long')
  elseif has_key(table.pairs, key)
    return Fits(table.pairs[key], queue[1]) ? taken .. Take() .. Take() : Forbid()
  endif
  return has_key(table.keys, key) ? taken .. Take() : Forbid()
enddef

def Fits(allowed: dict<bool>, next: dict<any>): bool
  return allowed is commands.ANY ? IsText(next.key) || next.key == "\<CR>" || next.key == "\<Tab>" : has_key(allowed, next.key)
enddef

def IsText(key: string): bool
  return strchars(key, true) == 1 && key !~ '^[[:cntrl:]]'
enddef

# Text for Insert mode or the search line, or one of their commands.
def Typed(kind: string): string
  Mapped(kind)
  if queue == [] || has_key(outcome, 'refused')
    return queue == [] ? "\<Ignore>" : ''
  endif
  var key = queue[0].key
  if IsText(key)
    return Take() .. (maps == {} ? Run() : '')
  elseif has_key(commands.COMMANDS[kind].keys, key)
    return Take()
  elseif kind == 'i' && (key == "\<C-V>" || key == "\<C-Q>" || key == "\<C-K>")
    return Literal(key)
  elseif has_key(commands.COMMANDS[kind].pairs, key) && len(queue) > 1
    return Inserted(key)
  endif
  return Forbid()
enddef

def Run(): string
  var text = ''
  while queue != [] && IsText(queue[0].key)
    text ..= Take()
  endwhile
  return text
enddef

# CTRL-V with a character, not with the digits of one; CTRL-K with two.
def Literal(key: string): string
  var length = key == "\<C-K>" ? 2 : 1
  var parts = queue[1 : length]
  if len(parts) < length || indexof(parts, (_, item) => strchars(item.key, true) != 1) >= 0
      || length == 1 && parts[0].key =~ '[0-9oOuUxX]'
    return Refuse('do what is not offered in a view')
  endif
  return range(length + 1)->mapnew((_, _) => Take())->join('')
enddef

# A register is put in literally: its text could be commands.
def Inserted(key: string): string
  if !has_key(commands.COMMANDS.i.pairs[key], queue[1].key)
    return Refuse(queue[1].key == '=' ? 'evaluate an expression' : 'use what is not of the view')
  elseif key == "\<C-R>" && Longest() > OF_A_COMMAND
    return Refuse('make the text too long')
  endif
  return Take() .. (key == "\<C-R>" ? "\<C-R>" : '') .. Take()
enddef

def Longest(): number
  return split('abcdefghijklmnopqrstuvwxyz0123456789-.', '\zs')->mapnew((_, name) => strlen(getreg(name)))->max()
enddef

def Take(): string
  return remove(queue, 0).key
enddef

# Puts what a mapping of the person stands for in its place, the one for most keys.
def Mapped(kind: string)
  while queue != [] && !queue[0].isFixed && has_key(maps, queue[0].key)
    var best: dict<any> = {}
    for map in maps[queue[0].key]
      if and(map.bits, commands.BITS[kind]) != 0 && len(map.lhs) > len(get(best, 'lhs', [])) && Matches(map.lhs)
        best = map
      endif
    endfor
    if best == {}
      return
    elseif best.expr || mapped >= MOST_MAPPED
      Refuse(best.expr ? 'evaluate an expression of a mapping' : 'never end')
      return
    endif
    mapped += 1
    Replace(best)
  endwhile
enddef

def Matches(lhs: list<string>): bool
  return len(lhs) <= len(queue) && indexof(lhs, (i, key) => queue[i].key !=# key || queue[i].isFixed) < 0
enddef

# What begins with the keys it stands for is not mapped again there, see |recursive_mapping|.
def Replace(map: dict<any>)
  var items = notation.Parsed(map.rhs)
  var isSame = items[: len(map.lhs) - 1]->mapnew((_, item) => item.key) == map.lhs
  for [i, item] in items(items)
    item.isFixed = map.noremap || isSame && i == 0
  endfor
  queue = items + queue[len(map.lhs) :]
enddef

def Told(items: list<dict<any>>): string
  return items[: TOLD]->mapnew((_, item) => item.name)->join('')->strcharpart(0, TOLD)
enddef

def Forbid(): string
  return Refuse(commands.Effect(queue->mapnew((_, item) => item.key)))
enddef

def Refuse(effect: string): string
  outcome.refused = current
  outcome.effect = effect
  return ''
enddef
