/** What a program that asks the person, or a Vim without them, needs of our environment. Anything else may be a secret. */
const VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|TZ|TMPDIR|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|VIM|VIMRUNTIME|LC_.*|XDG_.*|GTK_.*|GDK_.*)$/;

/** The variables that such a program inherits, and those that are added. */
export function inherited(added: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => VARIABLES.test(name))), ...added };
}
