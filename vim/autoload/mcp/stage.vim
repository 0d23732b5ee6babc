vim9script
# Parameters too large for one frame arrive in pieces. Vim parses a channel frame again from its start at each
# 4 KB, so a frame of 4 MB would freeze the screen for seconds; pieces of JSON text joined once do not.

import autoload 'mcp/fault.vim'

var staged: dict<list<string>> = {}

# Adds a piece: {id: string, text: string}.
export def Add(p: dict<any>): dict<any>
  if !has_key(staged, p.id)
    staged[p.id] = []
  endif
  add(staged[p.id], p.text)
  return {}
enddef

# Forgets the pieces of {id: string}.
export def Drop(p: dict<any>): dict<any>
  if has_key(staged, p.id)
    remove(staged, p.id)
  endif
  return {}
enddef

# Forgets what a connection left behind when it ended: the next one counts its texts from 1 again.
export def Clear()
  staged = {}
enddef

# The parameters that the pieces of {id: string} make up.
export def Take(p: dict<any>): dict<any>
  if !has_key(staged, p.id)
    fault.Throw('invalid', 'nothing is staged as ' .. p.id)
  endif
  return json_decode(join(remove(staged, p.id), ''))
enddef
