/**
 * Creates elements of a page, and buttons that copy a string. Strings come from profiles, so they are set as text and never
 * parsed as HTML.
 */

type ElementChild = Node | string;

/** @param attributes null and false omit an attribute, true sets it without a value */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number | boolean | null>> = {},
  ...children: readonly ElementChild[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    // The page's policy forbids the attribute, but not the property.
    if (name === 'style') made.style.cssText = String(value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** A number with its unit. */
const AMOUNT = /(?<![\w.])\d[\d.,]* (?:%|[num]?s|[kMGTPE]?(?:i?B|FLOP)(?:\/s)?)(?![\w/])/g;

/** A string in which no line break separates a number from its unit. */
export function prose(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const { index, 0: amount } of text.matchAll(AMOUNT)) {
    parts.push(text.slice(end, index), element('span', { class: 'amount' }, amount));
    end = index + amount.length;
  }
  return [...parts, text.slice(end)];
}

/** A note below figures. */
export const note = (text: string): HTMLElement => element('p', { class: 'note' }, ...prose(text));

/** Notices of the vendor's tool about its figures. */
export const toolNote = (text: string): HTMLElement => note(`The vendor's tool says: ${text}`);

/** A heading with its contents. */
export const section = (title: string, ...contents: readonly ElementChild[]): HTMLElement =>
  element('section', {}, element('h3', {}, title), ...contents);

/** Terms and their descriptions, for a `dl`. */
export const definitions = (entries: readonly (readonly [name: string, value: ElementChild])[]): HTMLElement[] =>
  entries.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]);

/** The same, with a box around each pair. */
export const boxedDefinitions = (entries: readonly (readonly [name: string, value: ElementChild])[]): HTMLElement =>
  element('dl', { class: 'inline' }, ...entries.map((entry) => element('div', {}, ...definitions([entry]))));

/** @param columns number of columns; tables with many are printed smaller */
export const labelledTable = (label: string, columns: number, ...children: readonly HTMLElement[]): HTMLTableElement =>
  element('table', { 'aria-label': label, style: `--columns: ${columns}` }, ...children);

/**
 * A scrollable container for wide content. It is a group, because a region would be a second landmark with its panel's
 * name.
 */
export const scrolling = (label: string, inner: HTMLElement): HTMLElement =>
  element('div', { class: 'scroll', role: 'group', 'aria-label': label, tabindex: 0 }, inner);

export function filterField(label: string, act: (text: string) => void): HTMLElement {
  const field = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': label });
  field.addEventListener('input', () => act(field.value));
  return field;
}

export function button(label: string, act: () => void, attributes: Readonly<Record<string, string>> = {}): HTMLElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

export function select<Value extends string | number>(
  label: string,
  choices: readonly (readonly [value: Value, label: string])[],
  chosen: Value,
  act: (value: Value) => void,
): HTMLElement {
  const options = choices.map(([value, text]) => element('option', { value, selected: value === chosen }, text));
  const box = element('select', { 'aria-label': label }, ...options);
  box.addEventListener('change', () => {
    const choice = choices[box.selectedIndex];
    if (choice !== undefined) act(choice[0]);
  });
  return element('label', { class: 'choice' }, element('span', {}, label), box);
}

/** Elements in which keys enter text. */
const TAKES_KEYS = 'input, select, textarea, [contenteditable]';

export const isText = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest(TAKES_KEYS) !== null;

/** Time in ms until a button shows its label again. */
const ANSWERED = 3000;

/** Selects a string, for the user to copy when the page cannot. */
function selectText(text: Node): void {
  const range = document.createRange();
  range.selectNodeContents(text);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** Shows the text after the button, selected; a second click removes it. */
function showSelected(text: string, copy: HTMLElement): void {
  const after = copy.nextElementSibling;
  if (after instanceof HTMLPreElement) {
    after.remove();
    return;
  }
  const shown = element('pre', { class: 'to-copy', tabindex: 0 }, text);
  copy.after(shown);
  selectText(shown);
}

/**
 * @param name what it copies, for screen readers
 * @param text called at each click
 * @param otherwise shows the text when the page cannot copy; by default below the button, selected
 */
export function copyButton(
  label: string,
  name: string,
  text: () => string,
  otherwise: (text: string, copy: HTMLElement) => void = showSelected,
): HTMLElement {
  const copy = button(label, () => {
    const show = (state: string): void => {
      copy.textContent = state;
      setTimeout(() => (copy.textContent = label), ANSWERED);
    };
    const copied = text();
    // Pages opened from a file have no clipboard in some browsers.
    const clipboard = (navigator as Partial<Navigator>).clipboard;
    const done = clipboard === undefined ? Promise.reject(new Error('no clipboard')) : clipboard.writeText(copied);
    done.then(
      () => show('Copied'),
      () => {
        otherwise(copied, copy);
        show('Marked');
      },
    );
  });
  copy.setAttribute('aria-label', name);
  copy.classList.add('copy');
  return copy;
}

export function command(text: string): HTMLElement {
  const shown = element('code', {}, text);
  const copy = copyButton(
    'Copy',
    `Copy the command ${text}`,
    () => text,
    () => selectText(shown),
  );
  return element('div', { class: 'command' }, shown, copy);
}
