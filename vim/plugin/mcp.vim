" Commands of the MCP plugin. Nothing else is loaded before one of them is used. See `:help mcp`.
if exists('g:loaded_mcp')
  finish
elseif !has('vim9script') || !has('channel') || !has('timers') || !has('patch-9.0.1378')
  " Legacy script down to `finish`: any Vim reads it.
  " An address with a token goes out of the history all the same.
  command! -nargs=? Mcp call histdel('cmd', '\<Mcp\s\+\S*/') | echomsg 'mcp: needs Vim 9.0.1378 or later with +vim9script, +channel and +timers'
  finish
endif
vim9script
g:loaded_mcp = 1

command! -nargs=? Mcp mcp#link#Connect(<q-args>)
command! -nargs=0 McpDisconnect mcp#link#Disconnect()
command! -nargs=0 McpStatus mcp#link#Status()
command! -nargs=0 McpLog mcp#attribution#Log()
command! -nargs=? McpUndo mcp#attribution#Undo(<q-args>)
