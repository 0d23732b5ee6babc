vim9script
# Errors with a category: what dispatch.vim answers as {"err": …}. Categories are those of the broker:
# invalid, unknown, stale, gone, unsupported, busy, bug.

const MARK = 'mcp-fault:'

# Raises an error of `category` with a text for people and `data` (a JSON object) for programs.
export def Throw(category: string, message: string, data: dict<any> = {})
  throw MARK .. json_encode({category: category, message: message, data: data})
enddef

# Turns what :catch got into the record for the wire. An error of Vim itself is `busy` while text is locked
# (`:help textlock`) and otherwise `fallback`.
export def Record(exception: string, throwpoint: string, fallback: string): dict<any>
  if stridx(exception, MARK) == 0
    return json_decode(strpart(exception, len(MARK)))
  endif
  var message = substitute(exception, '^Vim\%((\a\+)\)\=:', '', '')
  if message =~ '^E\%(565\|523\|11\|1155\):\=\>'
    return {
      category: 'busy',
      message: 'a mapping, a completion or the command-line window is open, where Vim lets nothing change: ' .. message,
      data: {mode: strtrans(mode(1)), state: state()},
    }
  endif
  return {category: fallback, message: message, data: fallback == 'bug' ? {at: throwpoint} : {}}
enddef

# Raises what Vim said in v:errmsg as something the editor does not allow; where it said nothing, a `bug` with `otherwise`.
export def Refuse(errmsg: string, otherwise: string)
  var record = errmsg == '' ? {category: 'bug', message: otherwise, data: {}} : Record(errmsg, '', 'unsupported')
  Throw(record.category, record.message, record.data)
enddef

# Runs `Body` and reports an error of Vim's own (E21, E45, E212, …) as something the editor does not allow, or as
# `category`.
export def Guard(Body: func(): any, category = 'unsupported'): any
  try
    return Body()
  catch
    var record = Record(v:exception, v:throwpoint, category)
    Throw(record.category, record.message, record.data)
  endtry
  return v:null
enddef
