vim9script
# Ex commands without limits.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/edit.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/show.vim'

# Bytes of output that are answered.
const MOST = 65536

# Runs {command}, which may have several lines, in the current window, or in {buffer}, which is made current before and
# must be at {tick} if that is given: {output: its messages, bytes: of the whole output}.
export def Run(p: dict<any>): dict<any>
  gate.Check(bufnr(), ['n'])
  if has_key(p, 'buffer')
    var bufnr = buffer.Loaded(p)
    show.Buffer(bufnr)
    if has_key(p, 'tick')
      buffer.Unchanged(bufnr, p.tick)
    endif
  endif
  var outcome: any = mcp#legacy#Execute(split(p.command, "\n", true))
  edit.Redraw()
  return Answer(type(outcome) == v:t_dict ? outcome : {ok: ''})
enddef

# What went wrong in a command is never `busy`: that would run it again.
def Answer(outcome: dict<any>): dict<any>
  if has_key(outcome, 'err')
    fault.Throw('invalid', Plain(outcome.err))
  endif
  var output: string = substitute(outcome.ok, '^\n', '', '')
  var size = strlen(output)
  return {output: size > MOST ? strcharpart(output, 0, charidx(output, MOST)) : output, bytes: size}
enddef

# An error as a person knows it, without where it was thrown.
export def Plain(exception: string): string
  return substitute(exception, '^Vim\%((\a\+)\)\=:', '', '')
enddef
