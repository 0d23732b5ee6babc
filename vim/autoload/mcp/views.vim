vim9script
# What the person sees: in every window the cursor and the first line shown.

# They are in all windows: {window, buffer, topline, cursor}, the cursor as from getcurpos().
export def All(): list<dict<any>>
  return getwininfo()->mapnew((_, info) => ({
    window: info.winid, buffer: info.bufnr, topline: info.topline, cursor: getcurpos(info.winid),
  }))
enddef

# Runs `Body` and puts the views right after it. To load a buffer that is not shown, or to set an option in it, Vim
# opens a window for a moment, which can scroll another.
export def Kept(Body: func(): any): any
  var views = All()
  try
    return Body()
  finally
    Restore(views)
  endtry
  return v:null
enddef

var restoring: dict<number> = {}

# Puts {views} back. After lines of `bufnr` were changed `Moved` tells where a line of it went: in the current window Vim
# takes the cursor along, but not the first line shown; in the others deletebufline() takes the cursor along twice. `columns`
# are those of the cursors, 0 where they stay.
export def Restore(views: list<dict<any>>, bufnr = 0, Moved: func(number): number = Same, columns: list<number> = [])
  for [n, view] in items(views)
    var Place = view.buffer == bufnr ? Moved : Same
    var column = get(columns, n)
    var cursor = [0, Place(view.cursor[1])] + (column == 0 ? view.cursor[2 :] : [column, 0, Wanted(view.cursor, column)])
    var info = getwininfo(view.window)
    if info == [] || info[0].topline == Place(view.topline) && getcurpos(view.window) == cursor
      continue
    endif
    restoring = {topline: Place(view.topline)}
    if view.window != win_getid()
      restoring->extend({lnum: cursor[1], col: cursor[2] - 1, coladd: cursor[3]})
      restoring->extend({curswant: cursor[4] == v:maxcol ? v:maxcol : cursor[4] - 1})
    elseif column != 0
      restoring->extend({col: column - 1, curswant: cursor[4] == v:maxcol ? v:maxcol : cursor[4] - 1})
    endif
    win_execute(view.window, 'noautocmd call mcp#views#Set()')
  endfor
enddef

# The column that a cursor is to go to in longer lines: the end of them stays that.
def Wanted(cursor: list<number>, column: number): number
  return cursor[4] == v:maxcol ? v:maxcol : column
enddef

def Same(lnum: number): number
  return lnum
enddef

# Runs in the window.
export def Set()
  winrestview(restoring)
  OnCharacter()
enddef

# Has the cursor stand on a whole character: text that was put under it may begin its characters elsewhere, and what is
# typed then would come between the bytes of one.
export def OnCharacter()
  var line = getline('.')
  var at = col('.') - 1
  if at < len(line) && byteidx(line, charidx(line, at)) < at
    winrestview({col: byteidx(line, charidx(line, at))})
  endif
enddef
