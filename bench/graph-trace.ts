/** Traces of replayed graphs of any size, written piece by piece. */
import { closeSync, openSync, writeSync } from 'node:fs';

/**
 * `captured`: one graph, its capture in the trace, and its replays. `replayed`: the replays alone. `launched`: the same
 * kernels, each launched by itself within an op.
 */
export const GRAPH_TRACES = ['captured', 'replayed', 'launched'] as const;
export type GraphTrace = (typeof GRAPH_TRACES)[number];

const PIECE = 1024 * 1024;
const NAMES = 40;

/** Writes a trace with `replays` times `nodes` kernels. */
export function writeGraphTrace(path: string, kind: GraphTrace, nodes: number, replays: number): void {
  const trace = new GraphTraceFile(path);
  try {
    if (kind === 'captured') trace.capture(nodes);
    for (let replay = 0; replay < replays; replay++) trace.replay(nodes, kind === 'launched');
  } finally {
    trace.close();
  }
}

class GraphTraceFile {
  readonly #file: number;
  #text =
    '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "numSms": 304}], "traceEvents": [';
  #isFirst = true;
  #us = 1000;
  #deviceUs = 1_000_000_000;
  #id = 1;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  capture(nodes: number): void {
    const start = this.#us++;
    this.#call('hipStreamBeginCapture', '');
    for (let node = 0; node < nodes; node++) this.#launch(node);
    this.#call('hipStreamEndCapture', '');
    this.#event('user_annotation', 'capture_32_FULL', start, this.#us - start, '');
  }

  replay(nodes: number, isLaunched: boolean): void {
    const graph = isLaunched ? 0 : this.#call('hipGraphLaunch', '');
    for (let node = 0; node < nodes; node++) {
      const correlation = isLaunched ? this.#launch(node) : graph;
      const args = `"device": 0, "stream": 3, "correlation": ${correlation}`;
      this.#event('kernel', nameOf(node), this.#deviceUs, 4, args, '"pid": 0, "tid": 3');
      this.#deviceUs += 5;
    }
  }

  close(): void {
    writeSync(this.#file, `${this.#text}\n]}\n`);
    closeSync(this.#file);
  }

  #launch(node: number): number {
    const dims = '"Input Dims": [[32, 512], [512, 512]], "Input type": ["c10::BFloat16", "c10::BFloat16"]';
    this.#event('cpu_op', 'aten::mm', this.#us, 8, `"External id": ${this.#id}, ${dims}`);
    this.#us++;
    return this.#call('hipLaunchKernel', `, "kernel": "${nameOf(node)}", "grid": [8, 1, 1], "block": [256, 1, 1]`);
  }

  #call(name: string, args: string): number {
    const id = this.#id++;
    this.#event('cuda_runtime', name, this.#us, 2, `"correlation": ${id}${args}`);
    this.#us += 10;
    return id;
  }

  #event(cat: string, name: string, ts: number, dur: number, args: string, place = '"pid": 1, "tid": 1'): void {
    const comma = this.#isFirst ? '' : ',';
    this.#isFirst = false;
    this.#text += `${comma}\n{"ph": "X", "cat": "${cat}", "name": "${name}", ${place}, "ts": ${ts}, "dur": ${dur}, "args": {${args}}}`;
    if (this.#text.length < PIECE) return;
    writeSync(this.#file, this.#text);
    this.#text = '';
  }
}

const nameOf = (node: number): string => `Cijk_Alik_Bljk_BBS_BH_UserArgs_MT32x32x256_MI16x16x1_${node % NAMES}`;
