vim9script
# What keys come to in a buffer: the person's options and mappings, for a Vim that plays them (play.vim).

import autoload 'mcp/buffer.vim'
import autoload 'mcp/popup.vim'

# Options that decide what a command does to the text; none of them names a program, a file or an expression.
const OF_BUFFER = [
  'autoindent', 'cindent', 'cinkeys', 'cinoptions', 'cinwords', 'comments', 'commentstring', 'copyindent', 'expandtab',
  'formatlistpat', 'formatoptions', 'iskeyword', 'lisp', 'lispwords', 'matchpairs', 'nrformats', 'preserveindent',
  'quoteescape', 'shiftwidth', 'smartindent', 'softtabstop', 'tabstop', 'textwidth', 'varsofttabstop', 'vartabstop',
  'wrapmargin',
]
const OF_VIM = [
  'backspace', 'cpoptions', 'ignorecase', 'joinspaces', 'magic', 'shiftround', 'smartcase', 'smarttab', 'startofline',
  'tildeop', 'virtualedit', 'whichwrap', 'wrapscan',
]

# The modes in which keys are played, and their bits in |maplist()|.
const MODES = [['n', 1], ['x', 2], ['o', 4], ['c', 8], ['i', 16]]

# {options: {name: value}, programs: commands for which the person has a program or an expression, maps: {lhs, rhs, bits,
# noremap, expr} of |maplist()|, if {maps}} of {buffer}.
export def Read(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  var options: dict<any> = {}
  for name in OF_BUFFER
    options[name] = getbufvar(bufnr, '&' .. name)
  endfor
  for name in OF_VIM
    options[name] = eval('&' .. name)
  endfor
  return {options: options, programs: Programs(bufnr), maps: p.maps ? Maps(bufnr) : []}
enddef

def Programs(bufnr: number): list<string>
  var HasAny = (names) => indexof(names, (_, name) => getbufvar(bufnr, '&' .. name) .. eval('&g:' .. name) != '') >= 0
  return (HasAny(['equalprg', 'indentexpr']) ? ['='] : []) + (HasAny(['formatprg', 'formatexpr']) ? ['gq'] : [])
enddef

var found: list<dict<any>> = []

# Those of the buffer can only be seen from within. They come first.
def Maps(bufnr: number): list<dict<any>>
  popup.Within(bufnr, 'call mcp#keymap#Note()')
  var maps = found
  found = []
  return maps->sort((a, b) => b.buffer - a.buffer)->mapnew((_, map) =>
    ({lhs: map.lhs, rhs: map.rhs, bits: map.mode_bits, noremap: !!map.noremap, expr: !!map.expr}))
enddef

# Runs in the window of the buffer.
export def Note()
  found = maplist()
  for map in found
    if map.rhs =~? '<\%(local\)\=leader>\|<SID>'
      # As it was typed; maparg() tells what it has become.
      map.rhs = maparg(map.lhs, get(filter(copy(MODES), (_, mode) => and(map.mode_bits, mode[1]) != 0), 0, ['n'])[0])
    endif
  endfor
enddef
