vim9script
# Keys as they are written, `:help key-notation`.

# Keys by their names in angle brackets.
const NAMED = {
  esc: "\<Esc>", cr: "\<CR>", enter: "\<CR>", return: "\<CR>", tab: "\<Tab>", space: ' ', lt: '<', bar: '|', bslash: '\',
  bs: "\<BS>", del: "\<Del>", up: "\<Up>", down: "\<Down>", left: "\<Left>", right: "\<Right>", home: "\<Home>",
  end: "\<End>", pageup: "\<PageUp>", pagedown: "\<PageDown>", nop: '',
}
# Other names: keys that are in no table.
const OTHER = '^\%([CSMATD]-.\+\|F\d\+\|Cmd\|ScriptCmd\|Plug\|Help\|Undo\|Insert\|SID\|SNR\|.*Mouse\|.*Drag\|.*Release\)$'

# Keys in Vim's notation as {key, name, isFixed}; a < that begins no name is one.
export def Parsed(notation: string): list<dict<any>>
  var parsed: list<dict<any>> = []
  var at = 0
  while at < len(notation)
    var name = matchstr(notation, '^<[^<> \t]\+>', at)
    var key = name == '' ? v:none : Named(name[1 : -2])
    if type(key) != v:t_string
      name = matchstr(notation, '^.', at)
      key = name == "\n" || name == "\r" ? "\<CR>" : name
    endif
    if key != ''
      add(parsed, {key: key, name: name, isFixed: false})
    endif
    at += len(name)
  endwhile
  return parsed
enddef

# The key of a name; one that is in no table for those that are not offered.
def Named(name: string): any
  if name =~? '^C-[][a-z^_\\]$'
    return nr2char(and(char2nr(toupper(name[2])), 31))
  elseif has_key(NAMED, tolower(name))
    return NAMED[tolower(name)]
  endif
  return name =~? OTHER ? '<' .. tolower(name) .. '>' : v:none
enddef
