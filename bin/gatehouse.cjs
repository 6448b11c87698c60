#!/usr/bin/env node
'use strict';

const { existsSync, readdirSync } = require('node:fs');
const { setPriority } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

/**
 * V8 collects with four threads of its own, whatever the number of cores. Where cores are short, they go last: beside
 * events that wait for an answer they cost a third of the p99 (docs/BENCHMARKS.md). Before anything asynchronous began,
 * which no ES module is early enough for, there are no others. Linux only: elsewhere a thread has no priority of its own.
 */
function yieldCollectors() {
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task').map(Number)) if (thread !== process.pid) setPriority(thread, 19);
}

try {
  yieldCollectors();
} catch {
  // Not allowed here: it works all the same.
}

const program = join(__dirname, '../dist/main.js');
if (existsSync(program)) {
  void import(pathToFileURL(program).href);
} else {
  process.stderr.write('gatehouse: not built yet; run: npm run build\n');
  process.exitCode = 1;
}
