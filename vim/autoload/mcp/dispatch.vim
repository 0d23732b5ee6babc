vim9script
# The one function the broker calls (`:help channel-commands`). It never throws and runs nothing but the verbs
# of the table; their parameters are data, never script.

import autoload 'mcp/attribution.vim'
import autoload 'mcp/buffer.vim'
import autoload 'mcp/cursor.vim'
import autoload 'mcp/edit.vim'
import autoload 'mcp/evaluate.vim'
import autoload 'mcp/ex.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/feed.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/grep.vim'
import autoload 'mcp/keymap.vim'
import autoload 'mcp/link.vim'
import autoload 'mcp/new.vim'
import autoload 'mcp/notify.vim'
import autoload 'mcp/open.vim'
import autoload 'mcp/read.vim'
import autoload 'mcp/save.vim'
import autoload 'mcp/screen.vim'
import autoload 'mcp/selection.vim'
import autoload 'mcp/stage.vim'
import autoload 'mcp/state.vim'
import autoload 'mcp/substitute.vim'
import autoload 'mcp/undo.vim'

final VERBS: dict<func(dict<any>): any> = {}

# Answers {"ok": value} or {"err": {"category", "message", "data"}}, with "events" if there are any. A legacy function: the :try of a :def lets some
# errors through (E1138 in a comparison, for one), and then the broker would only get "ERROR".
export function Run(verb, params)
  let depth = s:Depth()
  try
    let answer = {'ok': s:Serve(a:verb, a:params)}
  catch
    let answer = {'err': s:Failed(v:exception, v:throwpoint)}
  endtry
  return s:Ended(depth, answer)
endfunction

def Depth(): number
  return feed.Depth()
enddef

def Ended(depth: number, answer: dict<any>): dict<any>
  feed.End(depth)
  var events = link.Events()
  return events == [] ? answer : answer->extend({events: events})
enddef

# Before the broker has proved itself and the versions agree only `welcome` and `refused` are served.
def Serve(verb: any, params: any): any
  if !link.Ready() && index(['welcome', 'refused'], verb) < 0
    fault.Throw('invalid', 'no request is served before the welcome')
  elseif link.Unfit() != ''
    fault.Throw('unsupported', link.Unfit())
  endif
  return Answer(verb, params)
enddef

# What a verb tells of a text, it tells of one between two changes. What it does for an assistant, {by: {op, name}}, counts as
# a change of the assistant's.
def Answer(verb: any, params: any): any
  if type(params) != v:t_dict || verb == 'staged'
    return VerbOf(verb)(params)
  endif
  feed.CutAll()
  if !has_key(params, 'by')
    return VerbOf(verb)(params)
  endif
  feed.Begin(params.by.op, verb == 'edit')
  var answer = VerbOf(verb)(params)
  attribution.Did(params.by.name, verb, params, answer)
  return answer
enddef

def Failed(exception: string, throwpoint: string): dict<any>
  var record = fault.Record(exception, throwpoint, 'bug')
  if record.category == 'busy'
    gate.Watch()
  endif
  return record
enddef

# The names of all verbs, sorted; the broker compares them with its own catalogue.
export def Verbs(): list<string>
  return sort(keys(VERBS))
enddef

def VerbOf(verb: any): func(dict<any>): any
  if type(verb) != v:t_string || !has_key(VERBS, verb)
    fault.Throw('invalid', 'unknown verb ' .. string(verb))
  endif
  return VERBS[verb]
enddef

# Lambdas, so that a feature's file is loaded at its first use.
VERBS->extend({
  welcome: (p) => link.Welcome(p, Verbs()),
  refused: (p) => link.Refused(p),
  pulse: (_) => gate.Pulse(),
  state: (p) => state.State(p),
  probe: (p) => buffer.Probe(p),
  read: (p) => read.Read(p),
  grep: (p) => grep.Search(p),
  selection: (p) => selection.Read(p),
  screen: (_) => screen.Look(),
  keymap: (p) => keymap.Read(p),
  open: (p) => open.Open(p),
  edit: (p) => edit.Apply(p),
  matches: (p) => substitute.Preview(p),
  substitute: (p) => substitute.Apply(p),
  undo: (p) => undo.Step(p, 'undo'),
  redo: (p) => undo.Step(p, 'redo'),
  save: (p) => save.Save(p),
  new: (p) => new.Create(p),
  cursor: (p) => cursor.Set(p),
  ex: (p) => ex.Run(p),
  eval: (p) => evaluate.Run(p),
  notify: (p) => notify.Show(p),
  stage: (p) => stage.Add(p),
  unstage: (p) => stage.Drop(p),
  staged: (p) => Answer(p.verb, stage.Take(p)),
  follow: (p) => feed.Follow(p),
  unfollow: (p) => feed.Unfollow(p),
  listen: (p) => feed.Listen(p),
  changes: (p) => feed.Changes(p),
  hash: (p) => feed.Hash(p),
})
