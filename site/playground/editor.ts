/** The editor of a text: CodeMirror, which the page loads after it is shown. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json, jsonLanguage } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import scenarioSchema from '../../dist/scenario.schema.json?raw';
import { completionOf } from './completion.js';
import type { Schema } from './schema.js';

export type Language = 'json' | 'typescript';

export const languages: Readonly<Record<Language, () => Extension>> = {
  json: () => [json(), jsonLanguage.data.of({ autocomplete: completionOf(JSON.parse(scenarioSchema) as Schema) })],
  typescript: () => javascript({ typescript: true }),
};

interface EditorOptions {
  readonly parent: HTMLElement;
  readonly language: Language;
  /** For screen readers. */
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Shows an editor. The Tab key moves the focus, as everywhere on the page. */
export function showEditor({ parent, language, label, text, onChange }: EditorOptions): EditorView {
  const extensions = [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    syntaxHighlighting(classHighlighter),
    languages[language](),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    }),
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
}

/** Replaces the text, which can be undone. */
export const setText = (view: EditorView, text: string): void =>
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });

/** Selects one character and moves the focus to it. Lines and columns are counted from 1. */
export function select(view: EditorView, line: number, column: number): void {
  const { from, to } = view.state.doc.line(Math.min(line, view.state.doc.lines));
  const anchor = Math.min(from + column - 1, to);
  view.dispatch({ selection: { anchor, head: Math.min(anchor + 1, view.state.doc.length) }, scrollIntoView: true });
  view.focus();
}
