vim9script
# The editor at a glance.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'

# What marks the top directory of a project.
const ROOT_MARKS = ['.git', '.hg', '.svn', 'package.json', 'Cargo.toml', 'go.mod', 'pyproject.toml', 'Makefile']

# What most buffers are; only what differs is told.
const ORDINARY = {
  current: false, alternate: false, loaded: true, listed: true, visible: false, modified: false, modifiable: true,
  readonly: false, filetype: '', buftype: '', fileencoding: 'utf-8', fileformat: 'unix', endofline: true, bomb: false,
}

# Cursor, mode, directories, the windows of the tab page, and up to {limit} buffers from the {offset}th on, or only
# {buffer}. Unlisted buffers are left out unless {unlisted}. `recent` are up to {recent} files of |v:oldfiles|.
export def State(p: dict<any>): dict<any>
  if has_key(p, 'buffer') && !bufexists(p.buffer)
    fault.Throw('unknown', printf('there is no buffer %d', p.buffer))
  endif
  var numbers = has_key(p, 'buffer') ? [p.buffer] : Numbers(p.unlisted)
  return {
    mode: strtrans(mode(1)),
    cwd: getcwd(),
    project_root: ProjectRoot(),
    cursor: {buffer: bufnr(), line: line('.'), column: charcol('.')},
    tab: tabpagenr(),
    tabs: tabpagenr('$'),
    windows: Windows()->mapnew((_, info) => Window(info)),
    buffers: numbers[p.offset : p.offset + p.limit - 1]->mapnew((_, bufnr) => Full(getbufinfo(bufnr)[0])),
    total: len(numbers),
    recent: Recent(p.recent),
  }
enddef

# |getwininfo()| of the windows of the current tab page.
export def Windows(): list<dict<any>>
  return getwininfo()->filter((_, info) => info.tabnr == tabpagenr())
enddef

def Window(info: dict<any>): dict<any>
  var window = {buffer: info.bufnr, first: info.topline, last: info.botline, line: line('.', info.winid)}
  return info.winid == win_getid() ? window->extend({current: true}) : window
enddef

def Numbers(unlisted: bool): list<number>
  return range(1, bufnr('$'))->filter((_, bufnr) => unlisted ? bufexists(bufnr) : buflisted(bufnr))
enddef

def Full(info: dict<any>): dict<any>
  var bufnr = info.bufnr
  var Option = (name) => getbufvar(bufnr, '&' .. name)
  return {
    buffer: bufnr,
    filename: buffer.Path(bufnr),
    changedtick: info.changedtick,
    line_count: info.linecount,
    current: bufnr == bufnr(),
    alternate: bufnr == bufnr('#') && bufnr != bufnr(),
    loaded: info.loaded != 0,
    listed: info.listed != 0,
    visible: info.windows != [],
    modified: !!Option('modified'),
    modifiable: !!Option('modifiable'),
    readonly: !!Option('readonly'),
    filetype: Option('filetype'),
    buftype: Option('buftype'),
    # Empty means that of Vim, which is UTF-8.
    fileencoding: Option('fileencoding') == '' ? 'utf-8' : Option('fileencoding'),
    fileformat: Option('fileformat'),
    endofline: !!Option('endofline'),
    bomb: !!Option('bomb'),
    last_used: info.lastused,
  }->filter((name, value) => !has_key(ORDINARY, name) || value != ORDINARY[name])
enddef

# The nearest directory with a mark, upwards from the current file, else from the working directory; '' if none.
def ProjectRoot(): string
  var path = &buftype == '' ? buffer.Path(bufnr()) : ''
  var root = path[0] == '/' ? Marked(fnamemodify(path, ':h')) : ''
  return root == '' ? Marked(getcwd()) : root
enddef

def Marked(from: string): string
  var directory = from
  while indexof(ROOT_MARKS, (_, name) => getftype(directory .. '/' .. name) != '') < 0
    var parent = fnamemodify(directory, ':h')
    if parent == directory
      return ''
    endif
    directory = parent
  endwhile
  return directory
enddef

def Recent(most: number): list<string>
  var found: list<string> = []
  for name in v:oldfiles
    if len(found) >= most
      break
    endif
    var path = fnamemodify(name, ':p')
    if filereadable(path)
      add(found, path)
    endif
  endfor
  return found
enddef
