/** The page under test, written by hand without XState. `hasty` does not cancel its request after its timeout. */
export const pageOf = (kind: 'sound' | 'hasty'): string => `<!doctype html>
<body data-state="idle">
<form><input name="email" aria-label="email"><button>Subscribe</button></form>
<button id="again" hidden>Try again</button>
<output></output>
<script>
  const form = document.querySelector('form');
  const again = document.querySelector('#again');
  const texts = { idle: '', refused: 'That is not an address.', sending: 'One moment …', sent: 'Thank you!', failed: 'That did not work.' };
  const show = (state) => {
    document.body.dataset.state = state;
    document.querySelector('output').textContent = texts[state];
    form.hidden = state !== 'idle' && state !== 'refused';
    again.hidden = state !== 'failed';
  };
  const subscribe = async () => {
    show('sending');
    const request = new AbortController();
    const patience = setTimeout(() => {
      ${kind === 'sound' ? 'request.abort();' : "show('failed');"}
    }, 8000);
    try {
      const { ok } = await fetch('/subscribe', { method: 'POST', body: form.email.value, signal: request.signal });
      clearTimeout(patience);
      show(ok ? 'sent' : 'failed');
      if (ok) setTimeout(() => show('idle'), 3000);
    } catch {
      clearTimeout(patience);
      show('failed');
    }
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    if (form.email.value.includes('@')) subscribe();
    else show('refused');
  };
  again.onclick = subscribe;
</script>`;
