// Applies the stored theme before the first paint. A separate classic script, because the policy of the page
// forbids inline scripts and modules run after the first paint.

const theme = localStorage.getItem("spindle.theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
