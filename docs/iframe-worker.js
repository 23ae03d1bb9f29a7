// The site's search needs a worker, but browsers start none for pages that are opened from files.
// There, this class runs the worker's script in a hidden frame. The script looks for the class by its name.

function runScript(document, url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${url} cannot be loaded`));
    document.body.append(script);
  });
}

if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      const { document: blank } = this.inner;
      blank.open(); // else Firefox replaces the document later
      blank.write("<!DOCTYPE html><body></body>");
      blank.close();
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inner.importScripts = async (...urls) => {
        for (const each of urls) await runScript(blank, each);
      };
      this.started = runScript(blank, url);
    }

    postMessage(data) {
      this.started.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
  window.Worker = window.IFrameWorker;
}
