vim9script
# Replays a trace of mcp-vim in this Vim, which is a new one for that.

# By the buffer's number in the trace: {buffer: its number here, tick, filename}.
var known: dict<dict<any>> = {}
var outcome = {changes: 0, marks: 0, problems: [], cut: false, screen: [], buffers: []}

# Reads the file $MCP_REPLAY, writes what came of it to $MCP_REPLAY_OUT as JSON, and quits. $MCP_REPLAY_SIZE is the size of the
# screen. A legacy function, so that no error is let through, see dispatch.vim: nobody would answer its prompt.
export function Main()
  try
    call s:Run()
    quitall!
  catch
    call writefile([v:exception .. ' ' .. v:throwpoint], $MCP_REPLAY_OUT)
    cquit
  endtry
endfunction

def Run()
  var [columns, rows] = split($MCP_REPLAY_SIZE)->map((_, number) => str2nr(number))
  &columns = columns
  &lines = rows
  set hidden noswapfile undolevels=-1 nofoldenable
  for line in Whole(readfile($MCP_REPLAY, 'b'))
    Take(Decoded(line))
  endfor
  for [buffer, at] in items(known)->sort((a, b) => str2nr(a[0]) - str2nr(b[0]))
    add(outcome.buffers, {buffer: str2nr(buffer), filename: at.filename, tick: at.tick,
      lines: getbufline(at.buffer, 1, '$')})
  endfor
  redraw!
  outcome.screen = range(1, &lines)->mapnew((_, row) =>
    range(1, &columns)->mapnew((_, column) => screenstring(row, column))->join('')->trim(' ', 2))
  writefile([json_encode(outcome)], $MCP_REPLAY_OUT)
enddef

# The last line is cut where the writer was killed in the middle of it, and then has no line break.
def Whole(lines: list<string>): list<string>
  outcome.cut = lines != [] && remove(lines, -1) != ''
  return lines
enddef

def Decoded(line: string): dict<any>
  var decoded: dict<any> = {type: 'broken'}
  try
    decoded = json_decode(line)
  catch
  endtry
  return decoded
enddef

def Take(line: dict<any>)
  if line.type == 'state'
    State(line)
  elseif line.type == 'change'
    Change(line)
  elseif line.type == 'mark'
    Mark(line)
  elseif line.type == 'broken'
    add(outcome.problems, 'a line is no JSON')
  endif
enddef

def State(line: dict<any>)
  var bufnr = has_key(known, line.buffer) ? known[line.buffer].buffer : bufadd('')
  bufload(bufnr)
  execute 'buffer' bufnr
  silent deletebufline(bufnr, 1, '$')
  setbufline(bufnr, 1, line.lines)
  known[line.buffer] = {buffer: bufnr, tick: line.tick, filename: line.filename}
enddef

def Change(line: dict<any>)
  var at: dict<any> = get(known, line.buffer, {})
  if at == {} || at.tick != line.from
    add(outcome.problems, printf('line %d goes on from a text that is not there', line.seq))
    return
  endif
  execute 'buffer' at.buffer
  for change in reverse(copy(line.changes))
    Replace(line, at.buffer, change)
  endfor
  at.tick = line.to
  outcome.changes += 1
enddef

def Replace(line: dict<any>, bufnr: number, change: dict<any>)
  var last = change.first + len(change.old) - 1
  if getbufline(bufnr, change.first, last) != change.old
    add(outcome.problems, printf('line %d changes another text than there is', line.seq))
    return
  endif
  appendbufline(bufnr, last, change.now)
  if change.old != []
    silent deletebufline(bufnr, change.first, last)
  endif
  cursor(max([1, min([change.first, line('$')])]), 1)
enddef

def Mark(line: dict<any>)
  var at: dict<any> = get(known, line.buffer, {})
  if at == {} || at.tick != line.tick
    return
  endif
  outcome.marks += 1
  if sha256(getbufline(at.buffer, 1, '$')->join("\n")) != line.sha256
    add(outcome.problems, printf('the mark in line %d does not hold', line.seq))
  endif
enddef
