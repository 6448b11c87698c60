/**
 * What a call in inline code does that a monitor cares about. `path`: a path is put together from its parts. `code`: a text is run as code. `connect`: the one string is `host:port`. `copy`, `move`:
 * from the first to the second. `query`: a database is handed a statement.
 */
export const CODE_ACTIONS = [
  'process',
  'delete',
  'read',
  'write',
  'append',
  'copy',
  'move',
  'request',
  'decode',
  'path',
  'code',
  'connect',
  'query',
  'fork',
] as const;
export type CodeAction = (typeof CODE_ACTIONS)[number];

/** What a call of some name does. */
export interface CallEntry {
  action: CodeAction;
  /** Whatever it is told. */
  recursive?: true;
}

/**
 * Calls by name, over all languages at once: the names are distinct enough, and code is often handed over without
 * saying what it is written in.
 */
export const CALLS: ReadonlyMap<string, CallEntry> = new Map([
  ...names(
    'process',
    'os.system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput os.execv os.execvp os.execl os.execlp os.spawnv os.spawnvp os.spawnl os.spawnlp os.spawnve os.execve os.execvpe os.posix_spawn os.posix_spawnp pty.spawn pexpect.spawn pexpect.run create_subprocess_shell create_subprocess_exec exec_command',
  ),
  ...names(
    'process',
    'system exec popen popen2 popen3 spawn shell_exec passthru proc_open pcntl_exec qx %x IO.popen Open3.capture2 Open3.capture3 Kernel.system Process.spawn',
  ),
  ...names(
    'process',
    'execSync execFile execFileSync spawnSync child_process.exec child_process.execSync child_process.spawn child_process.spawnSync os.execute io.popen Deno.Command Bun.spawn Bun.spawnSync execa System.cmd System.shell',
  ),
  ...names(
    'process',
    'Runtime.getRuntime().exec Process.Start ProcessStartInfo Process.start Process.run Process.runSync ProcessBuilder exec.Command exec.CommandContext Deno.run',
  ),
  ...names(
    'delete',
    'os.remove os.unlink os.rmdir unlink unlinkSync rmdirSync File.delete File.unlink fs.unlink fs.unlinkSync fs.rmdir fs.rmdirSync Dir.rmdir Deno.removeSync rm',
  ),
  ...names(
    'delete',
    'shutil.rmtree FileUtils.rm_rf FileUtils.rm_r FileUtils.remove_dir FileUtils.remove_entry rmtree rimraf fs.rm fs.rmSync rmSync fs.promises.rm fsExtra.remove File::Path::rmtree remove_tree rm_rf os.removedirs Deno.remove File.rm_rf os.RemoveAll std::fs::remove_dir_all fs::remove_dir_all FileUtils.deleteDirectory',
    true,
  ),
  ...names('delete', '[System.IO.Directory]::Delete [IO.Directory]::Delete Directory.Delete', true),
  ...names(
    'delete',
    '[System.IO.File]::Delete [IO.File]::Delete File.Delete Files.delete Files.deleteIfExists std::fs::remove_file fs::remove_file',
  ),
  ...names(
    'read',
    'open io.open readFile readFileSync fs.readFile fs.readFileSync fs.createReadStream file_get_contents readfile File.read File.open IO.read File.readlines Deno.readTextFile Deno.readTextFileSync Bun.file slurp read_text read_bytes Path pathlib.Path fopen show_source highlight_file codecs.open read_csv read_table np.loadtxt np.genfromtxt linecache.getline linecache.getlines fileinput.input',
  ),
  ...names(
    'read',
    '[System.IO.File]::ReadAllText [IO.File]::ReadAllText File.ReadAllText File.ReadAllLines File.ReadAllBytes std::fs::read_to_string fs::read_to_string fs::read [System.IO.File]::ReadAllLines [IO.File]::ReadAllLines [System.IO.File]::ReadAllBytes [IO.File]::ReadAllBytes',
  ),
  ...names('path', 'os.path.join os.path.expanduser expanduser path.join path.resolve File.join File.expand_path'),
  ...names('code', 'eval compile Function vm.runInThisContext vm.runInNewContext instance_eval class_eval'),
  ...names('write', 'writeFile writeFileSync fs.writeFile fs.writeFileSync file_put_contents File.write'),
  ...names('write', 'Deno.writeTextFile Deno.writeTextFileSync Bun.write write_text write_bytes'),
  ...names('append', 'appendFile appendFileSync fs.appendFile fs.appendFileSync'),
  ...names(
    'copy',
    'shutil.copy shutil.copy2 shutil.copyfile shutil.copytree copyfile copyFile copyFileSync fs.copyFile fs.copyFileSync FileUtils.cp FileUtils.cp_r FileUtils.copy',
  ),
  ...names('move', 'shutil.move os.rename os.replace renameSync fs.rename fs.renameSync FileUtils.mv File.rename'),
  ...names(
    'request',
    'requests.get requests.post requests.put requests.request requests.head urllib.request.urlopen urlopen urllib.urlopen httpx.get httpx.post fetch axios axios.get axios.post http.get https.get http.request https.request Net::HTTP.get URI.open LWP::Simple::get curl_init DownloadString DownloadFile',
  ),
  ...names(
    'connect',
    'socket.connect socket.create_connection create_connection connect net.connect net.createConnection tls.connect http2.connect TCPSocket.new TCPSocket.open Socket.tcp Net::HTTP.start Net::HTTP.new Net::SMTP.start Net::FTP.open fsockopen pfsockopen HTTPSConnection HTTPConnection smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP ftplib.FTP_TLS FTP telnetlib.Telnet asyncio.open_connection open_connection createConnection Deno.connect Bun.connect Net.Sockets.TCPClient',
  ),
  ...names(
    'query',
    'execute executemany executescript executeQuery executeUpdate exec_driver_sql $executeRawUnsafe $queryRawUnsafe query mysqli_query pg_query read_sql read_sql_query spark.sql duckdb.sql',
  ),
  ...names(
    'decode',
    'b64decode base64.b64decode atob base64_decode Base64.decode64 decode_base64 Buffer.from FromBase64String bytes.fromhex',
  ),
]);

function names(action: CodeAction, list: string, recursive = false): [string, CallEntry][] {
  return list.split(' ').map((name) => [name, recursive ? { action, recursive: true } : { action }]);
}

/** By its full name, or by the last parts of it: `cp.execSync`, `require('child_process').exec`, `System.Diagnostics.Process.Start`. */
export function lookUp(written: string): CallEntry | undefined {
  const full = CALLS.get(written);
  if (full !== undefined) return full;
  const [pair, last] = /[\w$%]+(?:\.|::)([\w$%]+)$/.exec(written) ?? [];
  const paired = pair === undefined ? undefined : CALLS.get(pair);
  if (paired !== undefined) return paired;
  const name = last ?? /[\w$%]+$/.exec(written)?.[0];
  if (name === undefined || name === written || name === 'open') return undefined;
  return CALLS.get(name);
}

/** Functions of note by the module that they are parts of, as `subprocess` and `os.path` are. */
export const MODULES: ReadonlyMap<string, readonly string[]> = byModule();

function byModule(): Map<string, string[]> {
  const modules = new Map<string, string[]>();
  for (const name of CALLS.keys()) {
    const [, module, part] = /^([a-z][\w.]*)\.(\w+)$/.exec(name) ?? [];
    // A path is what most variables of that name are.
    if (module === undefined || part === undefined || module === 'path') continue;
    modules.set(module, [...(modules.get(module) ?? []), part]);
  }
  return modules;
}
