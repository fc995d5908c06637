/** Elements of a page. Texts come from profiles: they are set as text, never parsed as HTML. */

type ElementChild = Node | string;

/**
 * A new element.
 * @param attributes null and false omit an attribute, true sets it without a value
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number | boolean | null>> = {},
  ...children: readonly ElementChild[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** A button with a text. */
export function button(label: string, act: () => void, attributes: Readonly<Record<string, string>> = {}): HTMLElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

export interface SelectChoice {
  readonly value: string;
  readonly label: string;
}

/** A select box with its label. */
export function select(
  label: string,
  choices: readonly SelectChoice[],
  chosen: string,
  act: (value: string) => void,
): HTMLElement {
  const options = choices.map(({ value, label: text }) =>
    element('option', { value, selected: value === chosen }, text),
  );
  const box = element('select', { 'aria-label': label }, ...options);
  box.addEventListener('change', () => {
    act(box.value);
  });
  return element('label', { class: 'choice' }, element('span', {}, label), box);
}
