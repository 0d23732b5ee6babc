vim9script
# Lines that an assistant has just changed, in another colour for a moment. By matches: |text-properties| in lines that are
# joined, split and undone crash Vim 9.0.1378. A match belongs to a window and stays where it is when lines move, so it goes
# with the next change of the text, or when another buffer comes into the window.

import autoload 'mcp/edit.vim'

# Milliseconds that they are shown, unless g:mcp_highlight says otherwise.
const SHOWN = 2000

# The matches: {window, id}, of the buffer at a tick.
var shown: list<dict<number>> = []
var of = {bufnr: 0, tick: 0}
var timer = -1

# Shows {ranges}, [first, last], of the text that the buffer has at {tick}, and none of before.
export def Lines(bufnr: number, tick: number, ranges: list<list<number>>)
  Clear()
  var milliseconds = get(g:, 'mcp_highlight', SHOWN)
  if type(milliseconds) != v:t_number || milliseconds <= 0 || getbufvar(bufnr, 'changedtick') != tick
    return
  endif
  highlight default link McpEdited DiffText
  of = {bufnr: bufnr, tick: tick}
  # First, so that they go whatever happens.
  timer = timer_start(milliseconds, (_) => Fade())
  for window in win_findbuf(bufnr)
    var seen = Seen(ranges, line('w0', window), line('w$', window))
    if seen != []
      add(shown, {window: window, id: matchaddpos('McpEdited', seen, -1, -1, {window: window})})
    endif
  endfor
  augroup mcp_highlight
    autocmd!
    autocmd TextChanged,TextChangedI,TextChangedP,BufEnter * Look()
  augroup END
  edit.Redraw()
enddef

# The lines of `ranges` from `top` to `bottom`.
def Seen(ranges: list<list<number>>, top: number, bottom: number): list<number>
  var near = copy(ranges)->filter((_, range) => range[0] <= bottom && range[1] >= top)
  return near->mapnew((_, range) => range(max([range[0], top]), min([range[1], bottom])))->flattennew()
enddef

# Whether the matches are still where the lines are.
def Look()
  if getbufvar(of.bufnr, 'changedtick') != of.tick || indexof(shown, (_, one) => winbufnr(one.window) != of.bufnr) >= 0
    Clear()
  endif
enddef

def Fade()
  Clear()
  edit.Redraw()
enddef

def Clear()
  timer_stop(timer)
  for one in shown
    try
      matchdelete(one.id, one.window)
    catch
      # The window is gone, or |clearmatches()| was called.
    endtry
  endfor
  shown = []
  augroup mcp_highlight
    autocmd!
  augroup END
enddef
