vim9script
# The connection to the broker: finding it, proof of both sides, welcome, and trying again when it is lost.
# Everything runs from timers and callbacks; the screen never waits.

import autoload 'mcp/address.vim'
import autoload 'mcp/disk.vim'
import autoload 'mcp/discovery.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/feed.vim'
import autoload 'mcp/message.vim'
import autoload 'mcp/proof.vim'
import autoload 'mcp/stage.vim'

# Version of the private protocol: the broker must speak the same major and no older minor.
const MAJOR = 1
const MINOR = 1
const HELLO_TIME = 5000
const FIRST_WAIT = 250
const LONGEST_WAIT = 10000
const UNREADY = {
  off: 'not connected',
  waiting: 'no broker yet, trying again',
  proving: 'the broker has still to prove itself',
  greeting: 'waiting for the welcome',
}

# phase: 'off', 'waiting' (for the next try), 'proving', 'greeting' (hello sent), 'ready'.
# wanted: what the person asked for. broker: where it is now. told: why it failed, as the person knows already.
var phase = 'off'
var wanted: dict<string> = {}
var broker: dict<string> = {}
var channel: any = v:null
var timer = -1
var wait = FIRST_WAIT
var nonce = ''
var name = ''
var told = ''
var instance = ''
var events: list<dict<any>> = []

# :Mcp URL, :Mcp TARGET or :Mcp alone.
export def Connect(argument: string)
  Forget()
  Close()
  if Unfit() != ''
    message.Say(Unfit())
    return
  endif
  try
    wanted = Wanted(argument)
  catch
    message.Say(fault.Record(v:exception, v:throwpoint, 'bug').message)
    return
  endtry
  instance = instance == '' ? proof.Nonce() : instance
  wait = FIRST_WAIT
  told = ''
  name = ''
  disk.Watch()
  augroup mcp_leave
    autocmd!
    autocmd VimLeavePre * Leave()
  augroup END
  Later(1, Try)
enddef

# Why this Vim cannot be served, or ''. The channel converts text to 'encoding' and puts '?' for what has no place in it.
export def Unfit(): string
  return &encoding == 'utf-8' ? '' : printf("'encoding' is %s; put `set encoding=utf-8` into the vimrc", &encoding)
enddef

# :McpDisconnect
export def Disconnect()
  Leave()
  Close()
  message.Say('disconnected')
enddef

# Tells the broker that this editor gives up its name, which another may then have.
def Leave()
  Report([{name: 'leaving'}])
enddef

# :McpStatus
export def Status()
  echo phase == 'ready' ? printf('connected to %s as %s', broker.address, name) : UNREADY[phase]
  echo message.Last()
enddef

# Whether the broker may call verbs.
export def Ready(): bool
  return phase == 'ready'
enddef

# Reports an event, a JSON object, to the broker, with the answer that goes out next or in a moment. Not in a write of its own
# before an answer: that would wait until the system of the broker has acknowledged the first, 40 ms later. Few may be sent
# before the broker calls again: while it is stopped they fill the socket, and a full one freezes the screen.
export def Event(event: dict<any>)
  if phase != 'ready'
    return
  endif
  add(events, event)
  if len(events) == 1
    timer_start(0, (_) => Report(Events()))
  endif
enddef

# The events that are still to be reported, for who takes them along.
export def Events(): list<dict<any>>
  var waiting = events
  events = []
  return waiting
enddef

def Report(all: list<dict<any>>)
  if all != [] && phase == 'ready' && ch_status(channel) == 'open'
    ch_sendraw(channel, all->mapnew((_, event) => json_encode([0, ['event', event]]) .. "\n")->join(''))
  endif
enddef

# Takes addresses out of the history, however mistyped: their token shall not end up in the viminfo file.
def Forget()
  histdel('cmd', '\<Mcp\s\+\S*/\|\<mcp_broker_url\>.*/')
enddef

# What the person wants: {address, token, target}, or address '' where the broker is to be discovered.
def Wanted(argument: string): dict<string>
  # No name has a slash.
  if argument =~ '/'
    return Named(address.FromUrl(argument))
  elseif exists('g:mcp_broker_url')
    var known = address.FromUrl(g:mcp_broker_url)
    known.target = argument
    return Named(known)
  endif
  return Named({address: '', token: '', target: argument})
enddef

def Named(where: dict<string>): dict<string>
  where.target = address.Clean(where.target)
  if where.target == ''
    where.target = address.DefaultTarget()
  endif
  return where
enddef

def Later(milliseconds: number, What: func())
  timer_stop(timer)
  timer = timer_start(milliseconds, (_) => What())
enddef

def Try()
  var trouble = Locate()
  if trouble == ''
    channel = address.Dial(broker.address, {callback: OnLine, close_cb: OnClose})
    if ch_status(channel) == 'open'
      Prove()
      return
    endif
    trouble = 'no broker answers at ' .. broker.address
  endif
  Lost(trouble)
enddef

# Fills `broker`; what is wrong, or ''.
def Locate(): string
  if wanted.address != ''
    broker = wanted
    return ''
  endif
  var live = discovery.Live()
  var chosen = get(g:, 'mcp_broker', '')
  if chosen != ''
    filter(live, (_, found) => found.name == chosen)
  endif
  if len(live) == 1
    broker = live[0]
    return ''
  elseif live == []
    return discovery.Blind() ? 'as root, :Mcp needs $XDG_RUNTIME_DIR or a URL'
      : chosen == '' ? 'no broker of yours runs; start mcp-vim' : 'no broker named ' .. chosen .. ' runs'
  endif
  return printf("several brokers run: %s; choose by :let g:mcp_broker = '%s'",
    live->mapnew((_, found) => found.name)->join(', '), live[0].name)
enddef

def Prove()
  phase = 'proving'
  nonce = proof.Nonce()
  Send(['mcp-vim-prove', nonce, broker.address])
  Later(HELLO_TIME, () => Lost('the broker does not answer'))
enddef

# The only line that is read before the channel speaks JSON: ["mcp-vim-proof", nonce, [proof, …]].
def OnLine(_: channel, line: string)
  if phase != 'proving'
    return
  endif
  var answer: any = v:null
  try
    answer = json_decode(line)
    if answer[0] != 'mcp-vim-proof' || type(answer[1]) != v:t_string || type(answer[2]) != v:t_list
      throw 'another protocol'
    endif
  catch
    Lost('what listens there is no mcp-vim broker')
    return
  endtry
  Greet(answer[1], answer[2])
enddef

def Greet(nonce_b: string, proofs: list<any>)
  var Claim = (who) => proof.Keyed(broker.token, proof.Claim(who, broker.address, nonce, nonce_b))
  if index(proofs, Claim('broker')) < 0
    Lost('the broker does not know the token; nothing was sent to it')
    return
  endif
  phase = 'greeting'
  # A new connection keeps the name the broker gave this editor.
  var target = name == '' ? wanted.target : name
  Send(['mcp-vim', 'proof:' .. Claim('editor'), MAJOR, MINOR, target, instance])
  ch_setoptions(channel, {mode: 'json'})
enddef

def Send(line: list<any>)
  ch_sendraw(channel, json_encode(line) .. "\n")
enddef

# The broker accepted this editor as {target}; answers what it may want to know.
export def Welcome(p: dict<any>, verbs: list<string>): dict<any>
  if phase != 'greeting'
    fault.Throw('invalid', 'no welcome was expected')
  endif
  timer_stop(timer)
  stage.Clear()
  feed.Clear()
  phase = 'ready'
  name = p.target
  wait = FIRST_WAIT
  told = ''
  message.Say('connected as ' .. name)
  return {
    major: MAJOR, minor: MINOR, pid: getpid(), cwd: getcwd(), version: string(v:versionlong), verbs: verbs,
  }
enddef

# The broker will not have this editor, for the reason {message}: trying again would not help.
export def Refused(p: dict<any>): dict<any>
  timer_stop(timer)
  phase = 'off'
  # Later, so that the answer still goes out.
  timer_start(0, (_) => Hangup())
  message.Say('the broker refused: ' .. p.message)
  return {}
enddef

def OnClose(closed: channel)
  if phase != 'off' && type(channel) == v:t_channel && ch_info(closed).id == ch_info(channel).id
    Lost(phase == 'ready' ? 'the broker went away' : 'the broker closed the connection')
  endif
enddef

# Ends this connection and tries again.
def Lost(why: string)
  Hangup()
  Retry(why)
enddef

def Retry(why: string)
  phase = 'waiting'
  if told != why
    message.Say(why .. '; trying again')
    told = why
  endif
  Later(wait, Try)
  wait = min([wait * 2, LONGEST_WAIT])
enddef

def Close()
  timer_stop(timer)
  Hangup()
  phase = 'off'
enddef

# A channel that never opened cannot be closed (E906).
def Hangup()
  if type(channel) == v:t_channel && index(['open', 'buffered'], ch_status(channel)) >= 0
    ch_close(channel)
  endif
  channel = v:null
  events = []
  feed.Clear()
enddef
