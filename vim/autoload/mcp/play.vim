vim9script
# Plays keys in this Vim, which is a new one for that, without a screen, a shell and the right to write.

import autoload 'mcp/keys.vim'

# Reads the file $MCP_PLAY, writes what came of it to $MCP_PLAY_OUT, both JSON, and quits. A legacy function: see replay.vim.
#
# In: {lines, rows, columns, options: {name: value}, maps, programs, keys: as keys.vim takes them, view: {line, column, want,
# topline, anchor: {line, column, mode}}, kept: {registers, pattern, last}}; of `view` only the line is needed.
# Out: {view, mode, kept, screen, cursor: {row, column}, shown: [first, last], first, last, lines}: lines `first` to `last` gave
# way to `lines`; and what keys.vim says of the keys.
export function Main()
  try
    call s:Run()
    quitall!
  catch
    call writefile([v:exception .. ' ' .. v:throwpoint], $MCP_PLAY_OUT)
    cquit
  endtry
endfunction

def Run()
  var given: dict<any> = readfile($MCP_PLAY)->join("\n")->json_decode()
  Prepare(given)
  Look(given.view)
  Take(given.kept)
  var tick = b:changedtick
  var outcome = keys.Play(given)
  if bufnr('$') > 1 || winnr('$') > 1 || tabpagenr('$') > 1
    throw 'the keys left the text'
  endif
  # Before the selection ends and the cursor goes back to where Vim leaves it.
  outcome.view = View(outcome.mode)
  execute "normal! \<Esc>"
  writefile([outcome->extend(Drawn(given))
    ->extend({kept: Kept()})
    ->extend(b:changedtick == tick ? {} : Changed(given.lines))
    ->json_encode()], $MCP_PLAY_OUT)
enddef

def Prepare(given: dict<any>)
  &columns = given.columns
  &lines = given.rows + 1
  set laststatus=0 noruler noshowcmd noshowmode nofoldenable nohidden belloff=all report=9999 shortmess+=sSW
  set nohlsearch noincsearch noshowmatch wildcharm=0 cedit= history=0 nomodeline viminfo= clipboard= selection=inclusive
  for [name, value] in items(given.options)
    setwinvar(0, '&' .. name, value)
  endfor
  # The text is not to be undone.
  var undolevels = &undolevels
  &undolevels = -1
  setline(1, given.lines)
  &undolevels = undolevels
enddef

# Goes where the view is, with its selection.
def Look(view: dict<any>)
  var anchor: dict<any> = get(view, 'anchor', {})
  if anchor != {}
    setcursorcharpos(anchor.line, anchor.column)
    execute 'normal! ' .. anchor.mode
  endif
  setcursorcharpos(view.line, get(view, 'column', 1))
  var place = winsaveview()
  if has_key(view, 'topline')
    place.topline = view.topline
  endif
  if has_key(view, 'want')
    place.curswant = view.want < 0 ? v:maxcol : view.want
  endif
  winrestview(place)
enddef

# Registers, the last pattern and the last |f|.
def Take(kept: dict<any>)
  for [name, info] in items(get(kept, 'registers', {}))
    setreg(name, info)
  endfor
  if has_key(kept, 'pattern')
    @/ = kept.pattern
  endif
  if has_key(kept, 'last')
    setcharsearch(kept.last)
  endif
enddef

# The unnamed one last: it points to another.
def Kept(): dict<any>
  var registers: dict<any> = {}
  for name in split('abcdefghijklmnopqrstuvwxyz0123456789-', '\zs')
    var info = getreginfo(name)
    if get(info, 'regcontents', []) != []
      registers[name] = info
    endif
  endfor
  return {registers: registers, pattern: @/, last: getcharsearch()}
enddef

def View(mode: string): dict<any>
  var place = winsaveview()
  var view: dict<any> = {
    line: line('.'),
    column: charcol('.'),
    want: place.curswant == v:maxcol ? -1 : place.curswant,
    topline: place.topline,
  }
  if index(['v', 'V', "\<C-V>"], mode) >= 0
    var anchor = getcharpos('v')
    view.anchor = {line: anchor[1], column: anchor[2], mode: mode}
  endif
  return view
enddef

# The second cell of a wide character is empty.
def Drawn(given: dict<any>): dict<any>
  redraw!
  var place = screenpos(win_getid(), line('.'), col('.'))
  return {
    screen: range(1, given.rows)->mapnew((_, row) =>
      range(1, given.columns)->mapnew((_, column) => screenstring(row, column))->join('')->trim(' ', 2)),
    cursor: {row: place.row, column: place.curscol},
    shown: [line('w0'), line('w$')],
  }
enddef

# Where the text differs from the one before.
def Changed(old: list<string>): dict<any>
  var now = getline(1, '$')
  var most = min([len(old), len(now)])
  var head = 0
  while head < most && old[head] ==# now[head]
    head += 1
  endwhile
  var tail = 0
  while tail < most - head && old[-1 - tail] ==# now[-1 - tail]
    tail += 1
  endwhile
  return {first: head + 1, last: len(old) - tail, lines: slice(now, head, len(now) - tail)}
enddef
