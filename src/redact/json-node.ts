/** JSON as a tree that keeps numbers as they are written, and keys in their order, even repeated ones. */

/** A number, `true`, `false`, `null`, or another word, as written. */
export class Word {
  constructor(readonly text: string) {}
}

export type JsonNode = string | Word | readonly JsonNode[] | JsonMembers;

/** The members of an object in order. */
export class JsonMembers {
  constructor(readonly members: readonly (readonly [key: string, value: JsonNode])[]) {}
}

const DEEPEST = 100;
/** Numbers, and words that some writers use for numbers that are not finite. */
const WORD = /^(?:[-+]?\d[\d.eE+-]{0,60}|true|false|null|[-+]?(?:nan|inf|infinity))$/i;

/** Parses one value; null when it is not JSON. */
export function parseNode(text: string): JsonNode | null {
  const parser = new Parser(text);
  try {
    const node = parser.value(0);
    return parser.isAtEnd ? node : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

class Parser {
  #at = 0;
  readonly #word = /[^\s,\]}:]+/y;
  readonly #string = /"(?:[^"\\]|\\.)*"/sy;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    this.#space();
    return this.#at === this.text.length;
  }

  value(depth: number): JsonNode {
    this.#space();
    const first = this.text[this.#at];
    if (depth > DEEPEST) throw new SyntaxError();
    if (first === '"') return this.#text();
    if (first === '[') return this.#items(depth);
    if (first === '{') return this.#members(depth);
    this.#word.lastIndex = this.#at;
    const word = this.#word.exec(this.text)?.[0] ?? '';
    if (!WORD.test(word)) throw new SyntaxError();
    this.#at += word.length;
    return new Word(word);
  }

  #items(depth: number): JsonNode[] {
    const items: JsonNode[] = [];
    this.#at++;
    while (!this.#ends(']')) items.push(this.value(depth + 1));
    return items;
  }

  #members(depth: number): JsonMembers {
    const members: (readonly [string, JsonNode])[] = [];
    this.#at++;
    while (!this.#ends('}')) {
      if (this.text[this.#at] !== '"') throw new SyntaxError();
      const key = this.#text();
      this.#space();
      if (this.text[this.#at++] !== ':') throw new SyntaxError();
      members.push([key, this.value(depth + 1)]);
    }
    return new JsonMembers(members);
  }

  /** Passes commas, and the closing sign if it is next. */
  #ends(sign: string): boolean {
    this.#space();
    while (this.text[this.#at] === ',') {
      this.#at++;
      this.#space();
    }
    if (this.#at >= this.text.length) throw new SyntaxError();
    if (this.text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #text(): string {
    this.#string.lastIndex = this.#at;
    const quoted = this.#string.exec(this.text)?.[0];
    if (quoted === undefined) throw new SyntaxError();
    this.#at += quoted.length;
    return decoded(quoted);
  }

  #space(): void {
    while (/\s/.test(this.text[this.#at] ?? 'x')) this.#at++;
  }
}

/** Text of a string in quotes; escapes and controls that JSON does not allow stand for themselves. */
function decoded(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1).replace(/\\(.)/gs, '$1');
  }
}

/** Writes a tree as JSON. */
export function nodeText(node: JsonNode): string {
  if (node instanceof Word) return node.text;
  if (typeof node === 'string') return JSON.stringify(node);
  if (node instanceof JsonMembers)
    return `{${node.members.map(([key, value]) => `${JSON.stringify(key)}: ${nodeText(value)}`).join(', ')}}`;
  return `[${node.map(nodeText).join(', ')}]`;
}
