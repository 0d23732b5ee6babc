import type { Vim } from '../../kit/vim.js';

/** What is looked at before and after the agent did something. */
export interface Snapshot {
  readonly mode: string;
  readonly state: string;
  /** The kind of command-line window that is open, or ''. */
  readonly cmdwin: string;
  readonly buffer: number;
  /** Loaded buffers of files. */
  readonly buffers: readonly BufferSnapshot[];
  /** From getcurpos(): buffer, line, column, offset, wanted column. */
  readonly cursor: readonly [number, number, number, number, number];
  readonly windows: readonly WindowSnapshot[];
  /** Closed folds of the current window: first and last line. */
  readonly folds: readonly (readonly [number, number])[];
  /** Length of the jump list, from which Vim takes what comes to lie on one line. */
  readonly jumps: number;
  /** Things that no edit may change at all, by name. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** The undo sequence that the current buffer is at. */
  readonly seq: number;
  readonly errmsg: string;
}

export interface BufferSnapshot {
  readonly buffer: number;
  readonly tick: number;
  readonly lines: readonly string[];
  /** Marks a to c, by letter: line and column. */
  readonly marks: Readonly<Record<string, readonly [number, number]>>;
}

export interface WindowSnapshot {
  readonly window: number;
  readonly buffer: number;
  readonly height: number;
  readonly topline: number;
  readonly line: number;
  /** Column, offset and wanted column. */
  readonly column: readonly number[];
}

/**
 * The functions in Vim that look, and a log of each text by buffer and tick, so that the text right after an edit is
 * known even when the person typed on. Keys that leave Vim or start other programs do nothing. Where no command is begun,
 * v:register is not looked at: after `"ay` in Visual mode it stays "a" until the next command, were it a mouse that moves.
 */
export const LOOK = `
set timeoutlen=50 hlsearch showcmd nowrap cmdheight=2 scrolloff=0 nojoinspaces matchpairs-=<:> noshowmode
for key in ['ZZ', 'ZQ', 'K', 'Q', 'gQ', 'gx', 'gf', 'gF', 'gs', '<C-Z>', '[f', ']f', '<C-W>f', '<C-W>q', 'g<C-G>']
  execute 'noremap' key '<Nop>'
endfor
function Look()
  return #{mode: mode(1), state: state(), cmdwin: getcmdwintype(), buffer: bufnr(), cursor: getcurpos(),
    \\ buffers: map(filter(getbufinfo(#{bufloaded: 1}), {_, b -> getbufvar(b.bufnr, '&buftype') == '' && b.name != ''}), {_, b -> Buffer(b.bufnr)}),
    \\ windows: map(getwininfo(), {_, w -> Window(w)}), folds: Folds(), jumps: len(getjumplist()[0]), kept: Kept(), seq: undotree().seq_cur, errmsg: v:errmsg}
endfunction
function Buffer(n)
  let marks = {}
  for mark in getmarklist(a:n)
    if mark.mark =~ "^'[a-c]$"
      let marks[mark.mark[1]] = mark.pos[1:2]
    endif
  endfor
  return #{buffer: a:n, tick: getbufvar(a:n, 'changedtick'), lines: getbufline(a:n, 1, '$'), marks: marks}
endfunction
function Window(w)
  let at = getcurpos(a:w.winid)
  return #{window: a:w.winid, buffer: a:w.bufnr, height: a:w.height, topline: a:w.topline,
    \\ line: at[1], column: at[2:]}
endfunction
function Folds()
  let found = []
  let n = 1
  while n <= line('$')
    if foldclosed(n) > 0
      call add(found, [n, foldclosedend(n)])
      let n = foldclosedend(n)
    endif
    let n += 1
  endwhile
  return found
endfunction
function Kept()
  let found = #{search: getreg('/'), hlsearch: v:hlsearch, layout: winlayout(), window: win_getid(), tab: tabpagenr(),
    \\ tabs: tabpagenr('$'), alternate: bufnr('#'), history: [histnr(':'), histnr('/')], recording: reg_recording(),
    \\ visual: visualmode(), count: v:count, register: mode(1) ==# 'n' && state('o') == '' ? '' : v:register,
    \\ char: getcharsearch(), line: getcmdline(), folding: &foldenable, wrap: &wrap, buffers: len(getbufinfo())}
  for name in split('" a b q 0 1 2 3 9 - . :')
    let found['register ' . name] = getreginfo(name)
  endfor
  return found
endfunction
let g:texts = {}
function Text(n, ...)
  let g:texts[a:n . ':' . getbufvar(a:n, 'changedtick')] = getbufline(a:n, 1, '$')
endfunction
function Follow(n)
  call listener_add(function('Text'), a:n)
endfunction
autocmd BufReadPost,BufNewFile * call Follow(bufnr())
function Begin()
  let g:texts = {}
  let v:errmsg = 'none'
  if mode() =~ '[niR]'
    redraw
  endif
  return Look()
endfunction
function TextAt(n, tick)
  call listener_flush(a:n)
  return get(g:texts, a:n . ':' . a:tick, getbufvar(a:n, 'changedtick') == a:tick ? getbufline(a:n, 1, '$') : [])
endfunction
function Messages()
  let found = execute('messages')
  messages clear
  return found
endfunction
`;

/** Looks without touching anything. */
export function look(vim: Vim): Promise<Snapshot> {
  return vim.eval<Snapshot>('Look()');
}

/** Looks, and begins a new log of texts and errors. */
export function begin(vim: Vim): Promise<Snapshot> {
  return vim.eval<Snapshot>('Begin()');
}

/** The text of a buffer at a tick since {@link begin}, as far as it is known. */
export async function textAt(vim: Vim, buffer: number, tick: number): Promise<readonly string[] | undefined> {
  const found = await vim.eval<string[]>(`TextAt(${buffer}, ${tick})`);
  return found.length > 0 ? found : undefined;
}
