/** @jsxImportSource react */
/** The component under test, without XState. With `isHasty`, it shows the answer of a canceled request. */
import { useRef, useState, type FormEvent } from 'react';

interface NoteProps {
  readonly save: (text: string) => Promise<void>;
  readonly isHasty?: boolean;
}

export function Note({ save, isHasty = false }: NoteProps) {
  const [status, setStatus] = useState('');
  const latest = useRef(0);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = (event.currentTarget.elements.namedItem('text') as HTMLInputElement).value;
    if (text === '') return setStatus('Write something first.');
    const turn = ++latest.current;
    const show = (next: string) => {
      if (isHasty || turn === latest.current) setStatus(next);
    };
    show('Saving');
    try {
      await save(text);
      show('Saved');
      setTimeout(() => show(''), 2000);
    } catch {
      show('Not saved.');
    }
  };
  const cancel = () => {
    latest.current++;
    setStatus('');
  };
  const isEditing = status === '' || status === 'Write something first.';
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input name="text" />
      <output>{status}</output>
      {isEditing && <button>Save</button>}
      {status === 'Saving' && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
      {status === 'Not saved.' && (
        <button type="button" onClick={() => setStatus('')}>
          Try again
        </button>
      )}
    </form>
  );
}
