'use strict';
// A master, a worker and `ontime web` as processes of their own, in a directory that is removed again.

const {execFileSync, spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const pause = () => new Promise((done) => setTimeout(done, 50));

class Cluster {
  constructor(source, build) {
    this.source = source;
    this.programs = path.join(build, 'bin');
    this.directory = fs.mkdtempSync(path.join(os.tmpdir(), 'ontime-web-test-'));
    this.processes = {};
    this.environment = {...process.env, ONTIME_TOKEN: 'token-of-a-test-0123456789abcdef', PATH: this.programs + ':' + process.env.PATH};
  }
  file(name) {
    return path.join(this.directory, name);
  }
  begin(name, program, ...flags) {
    const log = fs.openSync(this.file(name + '.log'), 'w');
    this.processes[name] = spawn(path.join(this.programs, program), flags, {cwd: this.directory, env: this.environment, stdio: ['ignore', log, log]});
  }
  ontime(...flags) {
    return execFileSync(path.join(this.programs, 'ontime'), flags, {cwd: this.directory, env: this.environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
  }
  // Once the program listens.
  async port(name) {
    for (;;) {
      if (fs.existsSync(this.file(name)) && fs.readFileSync(this.file(name), 'utf8').endsWith('\n')) return Number(fs.readFileSync(this.file(name), 'utf8'));
      if (Object.values(this.processes).some((child) => child.exitCode !== null)) throw new Error('a program has ended: ' + this.logs());
      await pause();
    }
  }
  // The address of the page.
  async start() {
    this.begin('master', 'ontime-master', '--listen', '127.0.0.1:0', '--port-file', 'master.port', '--journal', 'journal');
    this.environment.ONTIME_MASTER = '127.0.0.1:' + await this.port('master.port');
    this.begin('worker', 'ontime-worker', '--name', 'worker-one', '--slots', '3');
    this.begin('web', 'ontime', 'web', '--listen', '127.0.0.1:0', '--port-file', 'web.port');
    return 'http://127.0.0.1:' + await this.port('web.port') + '/';
  }
  // One job that has ended, one that has failed, one that runs until it is ended. Files of ours are their input.
  async addJobs() {
    const text = path.join(this.source, 'examples', 'text');
    while (!this.ontime('nodes').includes('worker-one')) await pause();
    this.ontime('submit', 'wordcount', text, '--output', 'words', '--splits', '12', '--name', 'counts', '--wait', '--quiet');
    try {
      this.ontime('submit', 'exec', text, '--output', 'failing', '--set', 'command=echo no such thing >&2; exit 3', '--splits', '2', '--max-attempts', '2', '--wait', '--quiet');
    } catch (error) {  // as it should
    }
    this.ontime('submit', 'exec', text, '--output', 'running', '--set', 'command=while read a; do sleep 0.05; done', '--splits', '9', '--deadline', '10000s', '--attempt-timeout', 'never', '--name', 'a long name, <b>of a job</b>', '--quiet');
  }
  logs() {
    return Object.keys(this.processes).map((name) => name + ':\n' + fs.readFileSync(this.file(name + '.log'), 'utf8')).join('\n');
  }
  async end(name) {
    const child = this.processes[name];
    if (!child) return;
    delete this.processes[name];
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  }
  async stop() {
    for (const name of ['web', 'worker', 'master']) await this.end(name);
    fs.rmSync(this.directory, {recursive: true, force: true});
  }
}

module.exports = {Cluster, pause};
