vim9script
# Vim expressions, with their value as JSON.

import autoload 'mcp/ex.vim'
import autoload 'mcp/fault.vim'

# What is answered of a value: levels, items in all, and bytes of its JSON.
const DEPTH = 32
const ITEMS = 20000
const BYTES = 65536
# Above, JavaScript counts in steps.
const EXACT = 9007199254740991

# Notes that are told.
const TOLD = 20

var left = 0
var notes: list<string> = []

# The value of {expression}: {value, notes: what of it JSON cannot say, and how it is said}.
export def Run(p: dict<any>): dict<any>
  var outcome: dict<any> = mcp#legacy#Evaluate(p.expression)
  if has_key(outcome, 'err')
    fault.Throw('invalid', ex.Plain(outcome.err))
  endif
  left = ITEMS
  notes = []
  var value = Sayable(outcome.ok, '$', 0)
  var size = strlen(json_encode(value))
  if size > BYTES
    value = strcharpart(string(value), 0, BYTES / 4)
    notes = [printf('$: too large (%d bytes), the beginning as text', size)]
  endif
  return {value: value, notes: notes[: TOLD - 1]}
enddef

# The value with everything that JSON has no word for as text. `path` says where it stands.
def Sayable(value: any, path: string, depth: number): any
  left -= 1
  var kind = type(value)
  if kind == v:t_list || kind == v:t_dict
    if depth >= DEPTH || left < 0
      return AsText(path, left < 0 ? 'more than can be answered' : 'nested too deep', printf('(%d items)', len(value)))
    endif
    return kind == v:t_list
      ? mapnew(value, (i, item) => Sayable(item, printf('%s[%d]', path, i), depth + 1))
      : mapnew(value, (key, item) => Sayable(item, path .. '.' .. key, depth + 1))
  elseif kind == v:t_number
    return abs(value) > EXACT ? AsText(path, 'a large number', string(value)) : value
  elseif kind == v:t_float
    return isnan(value) || isinf(value) != 0 ? AsText(path, 'no finite number', string(value)) : value
  elseif kind == v:t_string
    return json_decode(json_encode(value)) ==# value ? value : AsText(path, 'bytes that are no text', strtrans(value))
  elseif kind == v:t_bool || kind == v:t_none
    return value
  endif
  return AsText(path, typename(value), string(value))
enddef

def AsText(path: string, why: string, text: string): string
  add(notes, printf('%s: %s, as text', path, why))
  return text
enddef
